-- What pledged units paid: cash collateral of loans, and what it takes off the prices of the units.

-- What `p_quantity` units of a token are worth as collateral: at price.sell, less each payment whose
-- record the price is older than, rounded down as the payment is.
CREATE FUNCTION collateral_value(p_token uuid, p_quantity numeric) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT greatest(0, t.price_sell * p_quantity - coalesce((
        SELECT sum(trunc(d.amount_per_unit * p_quantity, c.decimals))
        FROM public.credit_pricededuction d
        JOIN public.exchange_currency c ON c.code = t.currency_id
        WHERE d.token_id = t.id AND d.record_at > t.quoted_at), 0))
    FROM public.exchange_token t WHERE t.id = p_token
$$;

-- The cash collateral of a borrower's loans in a currency: the balance of its lien account.
CREATE FUNCTION cash_collateral(p_borrower uuid, p_currency text) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(l.cash_collateral), 0) FROM public.credit_loan l
    WHERE l.borrower_id = p_borrower AND l.currency_id = p_currency AND l.closed_at IS NULL
$$;

-- The units of an item of collateral that are in lien: of a closed loan, what a liquidation left there.
CREATE FUNCTION units_in_lien(c credit_collateral, l credit_loan) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN l.closed_at IS NULL THEN c.quantity ELSE c.claimed END
$$;

-- The units of a token that a borrower's loans hold: the balance of its lien account.
CREATE FUNCTION pledged_units(p_borrower uuid, p_asset text) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(public.units_in_lien(c, l)), 0)
    FROM public.credit_collateral c JOIN public.credit_loan l ON l.id = c.loan_id
    WHERE c.token_id::text = p_asset AND l.borrower_id = p_borrower
$$;

-- At commit, whoever changed it: money moved with it.
CREATE FUNCTION cash_collateral_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF public.cash_collateral(NEW.borrower_id, NEW.currency_id) <> coalesce((
        SELECT a.balance FROM public.wallets_account a
        WHERE a.owner_id = NEW.borrower_id AND a.asset_id = NEW.currency_id AND a.kind = 'lien'), 0)
    THEN
        RAISE EXCEPTION 'the cash collateral of loan % is not in its account', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_cash_in_account';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER cash_collateral_guard AFTER UPDATE OF cash_collateral, closed_at ON credit_loan
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.cash_collateral, OLD.closed_at) IS DISTINCT FROM (NEW.cash_collateral, NEW.closed_at))
    EXECUTE FUNCTION cash_collateral_guard();

-- The distributions set what is to come.
CREATE TRIGGER keep_cash_to_come BEFORE UPDATE OF cash_funded, cash_expected ON credit_loan
    FOR EACH ROW WHEN (current_user = 'exchange_runtime' AND (OLD.cash_funded, OLD.cash_expected)
                       IS DISTINCT FROM (NEW.cash_funded, NEW.cash_expected))
    EXECUTE FUNCTION kept_columns();
REVOKE INSERT, UPDATE, DELETE ON credit_pricededuction FROM exchange_runtime;
