-- Guards of quotes and conversions.
SELECT make_append_only('wallets_conversion');
REVOKE INSERT ON wallets_conversion FROM exchange_runtime;
REVOKE INSERT, UPDATE, TRUNCATE ON wallets_conversionquote FROM exchange_runtime;

-- A quote never changes, and is removed only after its time.
CREATE FUNCTION conversion_quote_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.expires_at < now() THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'quote % never changes', OLD.id USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER conversion_quote_guard BEFORE UPDATE OR DELETE ON wallets_conversionquote
    FOR EACH ROW EXECUTE FUNCTION conversion_quote_guard();

SELECT set_transfer_rule('conversion', '{available,position}', '{available,position,fees}',
    'conversion:{id}', 'wallets_conversion', '{}', false, 'public.conversion_transfer_fits(NEW)');

-- Whether a record justifies a movement: the owner's amount goes to the position of its currency, and
-- from that of the other currency come what arrives and the fee.
CREATE FUNCTION conversion_transfer_fits(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT count(DISTINCT e.asset_id) = 2 AND bool_and((
                posted.reference = 'conversion:' || c.id
                AND e.amount = CASE a.kind
                    WHEN 'available' THEN CASE WHEN a.owner_id = c.owner_id THEN CASE e.asset_id
                        WHEN c.from_currency_id THEN - c.amount
                        WHEN c.to_currency_id THEN c.converted_amount END END
                    WHEN 'position' THEN CASE e.asset_id
                        WHEN c.from_currency_id THEN c.amount
                        WHEN c.to_currency_id THEN - (c.converted_amount + c.fee) END
                    WHEN 'fees' THEN CASE e.asset_id WHEN c.to_currency_id THEN c.fee END
                END) IS TRUE)
        FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
              WHERE transfer_id = posted.id OFFSET 0) e
        JOIN public.wallets_account a ON a.id = e.account_id
        JOIN public.wallets_conversion c ON c.id = posted.subject_id);
END $$;
