-- The catalogue version, permissions and visibility of tokens.

-- Every change that affects lists raises the version in its own transaction. The step is random: after
-- a rollback or a restored backup, a version cached by a process must not denote another state.
CREATE FUNCTION catalogue_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE public.exchange_catalogue SET version = version + 1 + floor(random() * 1000000000)::bigint;
    RETURN NULL;
END $$;
CREATE TRIGGER catalogue_changed AFTER INSERT OR DELETE OR UPDATE OF
    issuer_id, name, symbol, currency_id, type, deal_access, investment_type, investment_category,
    completed_raise, secondaries, closed, exited, cancelled
    ON exchange_token FOR EACH STATEMENT EXECUTE FUNCTION catalogue_changed();
CREATE TRIGGER catalogue_changed AFTER INSERT OR DELETE OR UPDATE
    ON exchange_tokenaccess FOR EACH STATEMENT EXECUTE FUNCTION catalogue_changed();
REVOKE INSERT, UPDATE, DELETE ON exchange_catalogue FROM exchange_runtime;

SELECT make_permanent('exchange_token');
-- The progress of a raise is counted and ended by functions; the service may cancel it once, with nothing left.
SELECT keep_columns('exchange_token', '{completed_raise,total_raised,total_allocated}',
    since => $$current_user = 'exchange_runtime' AND (OLD.cancelled OR NOT NEW.cancelled)$$);
-- Trades, which are append-only, update volumes and the progress of a raise.
SELECT audit_table('exchange_token',
    left_out => '{vol_buy,vol_sell,supply,total_allocated,total_raised,next_payment_date,updated_at,document,
        words,limits_changed_at}');
SELECT audit_table('exchange_tokenaccess', about => 'token_id');

-- Returns whether an organisation sees a token.
CREATE FUNCTION token_visible(t exchange_token, p_organisation uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN t.deal_access = 'Public' OR t.issuer_id = p_organisation OR EXISTS (
        SELECT FROM public.exchange_tokenaccess a
        WHERE a.token_id = t.id AND a.organisation_id = p_organisation);
END $$;
