-- The check of a key, and the total and first page of one kind of active tokens.
SELECT k.id, k.organisation_id, k.name, k.scopes, t.scope, t.expires > now(),
    k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()), o.active
FROM oauth2_provider_accesstoken t
JOIN exchange_apikey k ON k.id = t.application_id
JOIN exchange_organisation o ON o.id = k.organisation_id
WHERE t.token_checksum = :checksum;
SELECT count(*) FROM exchange_token
WHERE NOT cancelled AND NOT closed AND NOT exited AND deal_access = 'Public'
    AND currency_id = 'KES' AND investment_type = 'Debt' AND type = 'Public';
SELECT document FROM exchange_token
WHERE NOT cancelled AND NOT closed AND NOT exited AND deal_access = 'Public'
    AND currency_id = 'KES' AND investment_type = 'Debt' AND type = 'Public'
ORDER BY created_at DESC, id DESC LIMIT 20;
