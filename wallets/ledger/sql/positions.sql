-- Adds to the exchange's position in a currency and returns the new one. Whatever posts to a `position`
-- account calls it in the same transaction, in the order of currencies and before it locks accounts.
CREATE FUNCTION move_position(p_currency text, p_amount numeric) RETURNS numeric
LANGUAGE sql SET search_path = public, pg_temp AS $$
    INSERT INTO wallets_conversionposition AS p (currency_id, amount) VALUES (p_currency, p_amount)
    ON CONFLICT (currency_id) DO UPDATE SET amount = p.amount + excluded.amount
    RETURNING amount
$$;
REVOKE ALL ON FUNCTION move_position FROM PUBLIC;
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON wallets_conversionposition FROM exchange_runtime;
