-- Guards of bank statements: files and lines are facts. Only what a line matches changes, and a match is
-- a record with the amount and currency of the line, in the state that the match has.
SELECT audit_table('wallets_ownbankaccount');
REVOKE UPDATE, DELETE ON wallets_ownbankaccount FROM exchange_runtime;
GRANT UPDATE (layout) ON wallets_ownbankaccount TO exchange_runtime;
SELECT keep_columns('wallets_ownbankaccount', '{id,name,currency_id,number,created_by_id,created_at}');

SELECT guard_start('wallets_statementfile', '{"status": "Uploaded"}');
SELECT guard_moves('wallets_statementfile', '{Uploaded>Imported,Uploaded>Discarded}');
SELECT keep_columns('wallets_statementfile', '{id,name,kind,sha256,account_id,lines,first_day,last_day,
    has_balances,uploaded_by_id,created_at}');
-- An uploaded file is decided, and changes in nothing else.
CREATE TRIGGER decided_once BEFORE UPDATE ON wallets_statementfile
    FOR EACH ROW WHEN (OLD.status <> 'Uploaded' OR NEW.content IS NOT NULL)
    EXECUTE FUNCTION kept_columns();
SELECT make_permanent('wallets_statementfile');
REVOKE UPDATE ON wallets_statementfile FROM exchange_runtime;
GRANT UPDATE (status, content, new_lines, handled_by_id, handled_at) ON wallets_statementfile
    TO exchange_runtime;
SELECT audit_table('wallets_statementfile', left_out => '{content}');

-- What the bank shows of a record in a currency, and the state of a line that it matches.
CREATE FUNCTION statement_match(p_deposit uuid, p_movement uuid, p_adjustment uuid, p_currency text)
RETURNS TABLE (status text, amount numeric) LANGUAGE sql STABLE AS $$
    SELECT CASE d.status WHEN 'Pending' THEN 'Proposed' WHEN 'Completed' THEN 'Matched'
                         WHEN 'Reversed' THEN 'Matched' END, d.amount
    FROM public.wallets_deposit d
    WHERE d.id = p_deposit AND d.channel = 'manual' AND d.currency_id = p_currency
    UNION ALL
    SELECT CASE m.status WHEN 'Pending' THEN 'Proposed' WHEN 'Approved' THEN 'Matched' END, l.amount
    FROM public.wallets_treasurymovement m
    CROSS JOIN LATERAL (VALUES
        ('top_up', m.currency_id, - m.amount),
        ('draw_down', m.currency_id, m.amount),
        ('fee_payout', m.currency_id, m.amount),
        ('position_close', m.currency_id, - m.amount),
        ('position_close', m.bought_currency_id, m.bought_amount)
    ) l (kind, currency, amount)
    WHERE m.id = p_movement AND l.kind = m.kind AND l.currency = p_currency
    UNION ALL
    SELECT CASE e.status WHEN 'Pending' THEN 'Proposed' WHEN 'Approved' THEN 'Matched' END,
           CASE e.direction WHEN 'less' THEN - e.amount WHEN 'more' THEN e.amount END
    FROM public.wallets_adjustingentry e
    WHERE e.id = p_adjustment AND e.currency_id = p_currency
$$;

CREATE FUNCTION statement_line_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND NOT EXISTS (
        SELECT FROM public.wallets_ownbankaccount a
        JOIN public.wallets_statementfile f ON f.id = NEW.file_id AND f.status = 'Uploaded'
        WHERE a.id = NEW.account_id AND a.currency_id = NEW.currency_id)
    THEN
        RAISE EXCEPTION 'line % is not of its account, or of no file that is imported', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_line_of_its_account';
    ELSIF num_nonnulls(NEW.deposit_id, NEW.movement_id, NEW.adjustment_id) > 0 AND NOT EXISTS (
        SELECT FROM public.statement_match(
            NEW.deposit_id, NEW.movement_id, NEW.adjustment_id, NEW.currency_id) s
        WHERE s.amount = NEW.amount AND s.status = NEW.status)
    THEN
        RAISE EXCEPTION 'line % is not what it is matched with', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'statement_line_fits_match';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER statement_line_guard BEFORE INSERT OR UPDATE ON wallets_statementline
    FOR EACH ROW EXECUTE FUNCTION statement_line_guard();

SELECT guard_start('wallets_statementline', '{"status": "Open"}');
SELECT guard_moves('wallets_statementline', '{Open>Proposed,Open>Matched,Open>Set aside,Proposed>Matched,
    Proposed>Open,Matched>Open,Set aside>Open}');
SELECT keep_columns('wallets_statementline', '{id,account_id,file_id,currency_id,booked_on,value_on,amount,
    bank_reference,number,payment_reference,counterparty,description,is_reversal}');
-- Another match is another decision: a line is opened first.
CREATE TRIGGER decided_once BEFORE UPDATE ON wallets_statementline
    FOR EACH ROW WHEN (
        (OLD.status = NEW.status OR OLD.status = 'Proposed' AND NEW.status = 'Matched')
        AND (OLD.deposit_id, OLD.movement_id, OLD.adjustment_id, OLD.reason, OLD.handled_by_id,
             OLD.handled_at)
            IS DISTINCT FROM
            (NEW.deposit_id, NEW.movement_id, NEW.adjustment_id, NEW.reason, NEW.handled_by_id,
             NEW.handled_at))
    EXECUTE FUNCTION kept_columns();
SELECT make_permanent('wallets_statementline');
REVOKE UPDATE ON wallets_statementline FROM exchange_runtime;
GRANT UPDATE (status, deposit_id, movement_id, adjustment_id, reason, handled_by_id, handled_at)
    ON wallets_statementline TO exchange_runtime;
-- A line that is added is its own record; the audit has what becomes of it.
SELECT audit_table('wallets_statementline', inserts => NULL);

-- The decision about a proposed record is that about its line: matched, or open again.
CREATE FUNCTION follow_statement_match() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status IN ('Completed', 'Approved') THEN
        EXECUTE format('UPDATE public.wallets_statementline SET status = ''Matched''
                        WHERE %I = $1 AND status = ''Proposed''', TG_ARGV[0]) USING NEW.id;
    ELSE
        EXECUTE format('UPDATE public.wallets_statementline
                        SET status = ''Open'', %1$I = NULL, handled_by_id = NULL, handled_at = NULL
                        WHERE %1$I = $1 AND status = ''Proposed''', TG_ARGV[0]) USING NEW.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER statement_line_follows AFTER UPDATE OF status ON wallets_deposit
    FOR EACH ROW WHEN (OLD.status = 'Pending' AND NEW.status <> 'Pending' AND NEW.channel = 'manual')
    EXECUTE FUNCTION follow_statement_match('deposit_id');
CREATE TRIGGER statement_line_follows AFTER UPDATE OF status ON wallets_treasurymovement
    FOR EACH ROW WHEN (OLD.status = 'Pending' AND NEW.status <> 'Pending')
    EXECUTE FUNCTION follow_statement_match('movement_id');
CREATE TRIGGER statement_line_follows AFTER UPDATE OF status ON wallets_adjustingentry
    FOR EACH ROW WHEN (OLD.status = 'Pending' AND NEW.status <> 'Pending')
    EXECUTE FUNCTION follow_statement_match('adjustment_id');
