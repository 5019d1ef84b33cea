-- %(trades)s trades of %(days)s days until now, half of them of the first of the `ids`, the others of all in turn.
-- A row is a function of its number; its size is that of a real one.
INSERT INTO orders_trade (id, seq, token_id, buy_order_id, sell_order_id, taker, price, tokens,
    buyer_value, buyer_fee, seller_value, seller_fee, created_at, document)
SELECT
    (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
        || lpad(to_hex(n %% 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
    n, (%(ids)s::uuid[])[CASE n %% 2 WHEN 0 THEN 1 ELSE 1 + n / 2 %% %(tokens)s END],
    lpad(to_hex(2 * n), 32, '0')::uuid, lpad(to_hex(2 * n + 1), 32, '0')::uuid,
    (ARRAY['Buy', 'Sell'])[1 + n %% 2],
    100 + (hashint8(n) & 2147483647) %% 5000 / 100.0,
    1 + (hashint8(n + 7) & 2147483647) %% 20, 0, 0, 0, 0, at, repeat('x', 230)
FROM generate_series(1, %(trades)s::bigint) n,
    LATERAL (SELECT now() - (%(trades)s - n) * (%(days)s * interval '1 day' / %(trades)s)) time (at);
