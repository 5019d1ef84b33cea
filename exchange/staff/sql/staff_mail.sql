-- E-mail to staff: what it says is fixed, workers record its delivery. What is sent or given up stays so.
SELECT guard_start('exchange_staffmail', '{"attempts": 0, "sent_at": null, "last_error": ""}');
SELECT keep_columns('exchange_staffmail', '{id,recipient_id,kind,key,subject,body,created_at}');
CREATE TRIGGER staff_mail_ended BEFORE UPDATE ON exchange_staffmail
    FOR EACH ROW WHEN (OLD.next_attempt_at IS NULL) EXECUTE FUNCTION kept_columns();
REVOKE UPDATE, DELETE, TRUNCATE ON exchange_staffmail FROM exchange_runtime;
GRANT UPDATE (next_attempt_at, attempts, sent_at, last_error) ON exchange_staffmail TO exchange_runtime;
