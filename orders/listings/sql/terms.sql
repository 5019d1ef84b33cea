-- Two people decide new terms of a token that investors have bought.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON orders_termsproposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'terms_proposal', 'proposed_by_id', 'Pending', 'Approved', 'reason');
REVOKE DELETE ON orders_termsproposal FROM exchange_runtime;
SELECT audit_table('orders_termsproposal', about => 'token_id');

-- A version of the terms is what two people approved as this version. (Terms that are fixed change with
-- their version only, see exchange/tokens/sql/token_terms.sql.)
CREATE FUNCTION terms_version_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.orders_termsproposal p
        WHERE p.token_id = NEW.id AND p.version = NEW.terms_version AND p.status = 'Approved'
            AND p.decided_by_id <> p.proposed_by_id
            AND (p.issue_price, p.interest, p.tenor, p.payout_frequency)
                = (NEW.issue_price, NEW.interest, NEW.tenor, NEW.payout_frequency)
            AND p.completed_at IS NOT DISTINCT FROM NEW.completed_at)
    THEN
        RAISE EXCEPTION 'version % of the terms of token % is not approved by two people',
                NEW.terms_version, NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'token_terms_by_two',
            TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER terms_version_guard AFTER UPDATE OF terms_version ON exchange_token
    FOR EACH ROW WHEN (OLD.terms_version <> NEW.terms_version)
    EXECUTE FUNCTION terms_version_guard();
