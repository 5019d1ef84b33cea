-- The check of a key, and the total and first page of tokens whose names have :words.
SELECT k.id, k.organisation_id, k.name, k.scopes, t.scope, t.expires > now(),
    k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()), o.active
FROM oauth2_provider_accesstoken t
JOIN exchange_apikey k ON k.id = t.application_id
JOIN exchange_organisation o ON o.id = k.organisation_id
WHERE t.token_checksum = :checksum;
SELECT count(*) FROM exchange_token
WHERE deal_access = 'Public' AND words @@ to_tsquery('simple', :words);
SELECT document FROM exchange_token
WHERE deal_access = 'Public' AND words @@ to_tsquery('simple', :words)
ORDER BY created_at DESC, id DESC LIMIT 20;
