-- Candles: the secondary trades of each token in one closed hour, written once. Readers take the trades since
-- `orders_candleprogress` from the table of trades.
--
-- No index finds trades by their time; it would cost every order. Numbers do, as a trade has a higher one than
-- all trades dated 10 minutes before it, whatever waits lie between the time and the number of an order, and
-- although servers that take over from each other have different clocks.
SELECT make_append_only('orders_candle');
REVOKE ALL ON orders_candle, orders_candleprogress FROM exchange_runtime;
GRANT SELECT ON orders_candle, orders_candleprogress TO exchange_runtime;

-- Writes the candles of the next closed hour with trades, and says whether more hours are due. Call it in a
-- transaction of its own. An hour is closed 10 minutes after its end, when no transaction older than that end
-- runs: a trade is dated within its transaction, so none of the hour is still to come. While another session
-- writes, it does nothing.
CREATE FUNCTION write_candles() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    v_margin CONSTANT interval := '10 minutes';
    v_latest CONSTANT timestamptz := date_bin('1 hour', now() - v_margin, 'epoch');
    v_until timestamptz;
    v_seq bigint;
    v_next timestamptz;
    v_end timestamptz;
    v_bound bigint;
    v_passed bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('candles', 0)) THEN
        RETURN false;
    END IF;
    SELECT p.until, p.seq INTO v_until, v_seq FROM orders_candleprogress p;
    v_seq := coalesce(v_seq, 0);
    SELECT date_bin('1 hour', t.created_at, 'epoch') INTO v_next
    FROM orders_trade t WHERE t.seq > v_seq ORDER BY t.seq LIMIT 1;
    -- Hours without trades are passed over.
    v_end := CASE WHEN v_next IS NULL THEN v_latest
                  ELSE least(greatest(v_until, v_next) + interval '1 hour', v_latest) END;
    IF v_end <= v_until OR older_transaction(v_end) THEN
        RETURN false;
    END IF;

    v_bound := coalesce(
        (SELECT t.seq FROM orders_trade t WHERE t.seq > v_seq AND t.created_at >= v_end + v_margin
         ORDER BY t.seq LIMIT 1),
        9223372036854775807);
    WITH found AS (
        SELECT t.token_id, t.seq, t.created_at, t.price, t.tokens, t.sell_order_id
        FROM orders_trade t WHERE t.seq > v_seq AND t.seq < v_bound AND t.created_at < v_end
    ), written AS (
        INSERT INTO orders_candle (first_seq, last_seq, token_id, starts_at, open, high, low, close,
                                   volume, value, trades)
        SELECT min(f.seq), max(f.seq), f.token_id, date_bin('1 hour', f.created_at, 'epoch'),
               (array_agg(f.price ORDER BY f.seq))[1], max(f.price), min(f.price),
               (array_agg(f.price ORDER BY f.seq DESC))[1],
               sum(f.tokens), sum(f.price * f.tokens), count(*)
        FROM found f
        WHERE f.sell_order_id IS NOT NULL AND (f.created_at < v_until) IS NOT TRUE
        GROUP BY f.token_id, date_bin('1 hour', f.created_at, 'epoch')
    )
    SELECT max(f.seq) INTO v_passed FROM found f WHERE f.created_at < v_end - v_margin;
    INSERT INTO orders_candleprogress (id, until, seq) VALUES (1, v_end, coalesce(v_passed, v_seq))
    ON CONFLICT (id) DO UPDATE SET until = excluded.until, seq = excluded.seq;
    RETURN v_end < v_latest;
END $$;
REVOKE ALL ON FUNCTION write_candles FROM PUBLIC;
GRANT EXECUTE ON FUNCTION write_candles TO exchange_runtime;
