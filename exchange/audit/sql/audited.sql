-- Audited tables of participants, access, tokens and events. Columns not listed are audited.

SELECT audit_table('exchange_organisation', left_out => '{updated_at}');
SELECT audit_table('exchange_member', about => 'organisation_id',
    left_out => '{updated_at,document}');

-- The last use is updated once a minute.
SELECT audit_table('exchange_apikey', about => 'organisation_id',
    hidden => '{client_secret}', left_out => '{updated,last_used_at}');
-- Deletions of expired tokens are not audited.
SELECT audit_table('oauth2_provider_accesstoken', about => 'application_id',
    hidden => '{token,token_checksum}', left_out => '{updated}',
    deletes => 'OLD.expires > now()');
SELECT audit_table('exchange_webhookendpoint', about => 'organisation_id',
    hidden => '{secret,previous_secret}', left_out => '{updated_at}');
-- Delivery attempts have their own append-only rows; only manual resends are audited.
SELECT audit_table('exchange_event', about => 'subject_id',
    left_out => '{body,attempts,next_attempt_at,leased_until,delivered_at}',
    inserts => NULL, updates => $$NEW.status = 'Pending' AND OLD.status <> 'Pending'$$);

SELECT audit_table('exchange_staffuser', hidden => '{password}', left_out => '{last_login}');
SELECT audit_table('exchange_secondfactor', record => 'user_id',
    hidden => '{secret_encrypted}', left_out => '{last_step}');
SELECT audit_table('exchange_recoverycode', about => 'user_id', hidden => '{code_hash}');
SELECT audit_table('exchange_staffuser_groups', about => 'staffuser_id');
SELECT audit_table('exchange_staffuser_user_permissions', about => 'staffuser_id');
SELECT audit_table('auth_group');
SELECT audit_table('auth_group_permissions', about => 'group_id');

SELECT audit_table('exchange_currency', record => 'code');
-- Trades, which are append-only, update volumes and the progress of a raise.
SELECT audit_table('exchange_token',
    left_out => '{vol_buy,vol_sell,supply,total_allocated,total_raised,updated_at,document,words}');
SELECT audit_table('exchange_tokenaccess', about => 'token_id');
SELECT audit_table('exchange_quote', about => 'token_id');
