-- Members of one organisation with 50 holdings each, as many as the parameter says, among as many
-- tokens. Run by the owner. Accounts start with their balance, which triggers refuse, and so without
-- the transfers that would explain it: reads do not look at those. Ids are functions of a number; a
-- member's rows lie apart from each other, as they do when accounts are opened over the years.

INSERT INTO exchange_token (
    id, issuer_id, name, symbol, reference, image, listing_reference, currency_id,
    type, deal_access, investment_type, investment_category, payout_frequency,
    price_buy, price_sell, price_exchange, prev_price_buy, prev_price_sell, prev_price_exchange,
    quoted_at, min_buy, min_sell, max_buy, max_sell,
    min_trade_buy, min_trade_sell, max_trade_buy, max_trade_sell, vol_buy, vol_sell,
    buy_fee, sell_fee, carry, management_fee, discount, interest, dividend, tenor,
    valuation, post_raise_valuation, total_supply, supply, total_allocated, raise_amount,
    total_raised, completed_raise, secondaries, closed, exited, cancelled, esop_token,
    created_at, updated_at, document)
SELECT
    ('00000000-0000-7000-a000-' || lpad(to_hex(n), 12, '0'))::uuid, %(organisation)s,
    (ARRAY['Lekki', 'Nairobi', 'Accra', 'Kampala'])[1 + mod(n, 4)] || ' '
        || (ARRAY['Gardens', 'Energy', 'Foods', 'Logistics', 'Cinema'])[1 + mod(n, 5)] || ' Notes ' || n,
    'P' || n, 900000000 + n, 'https://images.example.com/tokens/' || n || '.png', 'REQ-' || n,
    (ARRAY['NGN', 'NGN', 'NGN', 'KES', 'USD'])[1 + mod(n, 5)],
    'Public', 'Public',
    (ARRAY['the service', 'SAFE', 'Debt', 'Fixed Interest'])[1 + mod(n, 4)],
    (ARRAY['Real Estate', 'Bond', 'Startup', 'Fund', 'Movie'])[1 + mod(n, 5)], 'Monthly',
    100 + mod(n, 900) + 0.25, 99 + mod(n, 900) + 0.75, 1530.25, 100, 99, 1500,
    now(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1.5, 1, 0, 0, 0, 12.5, 0, 365,
    0, 0, 1000000000, 1000000000, 0, 50000000,
    50000000, true, true, false, false, false, false,
    now(), now(), ''
FROM generate_series(1, %(tokens)s) AS n;

INSERT INTO wallets_asset (id, token_id, decimals)
SELECT t.id::text, t.id, 8 FROM exchange_token t;

INSERT INTO exchange_member
    (id, organisation_id, name, email, external_id, created_at, updated_at, document)
SELECT ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, %(organisation)s,
    'Member ' || n, 'm' || n || '@example.com', '', now(), now(), ''
FROM generate_series(1, %(members)s) AS n;

-- Every fifth holding is partly under lien, every tenth partly in open orders. No trigger runs,
-- those of foreign keys neither.
SET session_replication_role = replica;
INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
SELECT
    ('00000000-0000-700' || part.number || '-8000-'
        || lpad(to_hex(k * %(members)s::bigint + m), 12, '0'))::uuid,
    '00000000-0000-7000-a000-'
        || lpad(to_hex(1 + mod(m * 31 + k * (%(tokens)s / 50), %(tokens)s)), 12, '0'),
    part.kind, %(organisation)s,
    ('00000000-0000-7000-9000-' || lpad(to_hex(m), 12, '0'))::uuid,
    mod(m * 7 + k * 13, 9000) + 1 + part.number * 0.125 + k * 0.00000001
FROM generate_series(0, 49) AS k
CROSS JOIN generate_series(1, %(members)s) AS m
JOIN (VALUES (1, 'available', 1, 0), (2, 'lien', 5, 0), (3, 'reserved', 10, 1))
    AS part (number, kind, every, rest) ON mod(k, part.every) = part.rest
ORDER BY k, m;
INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
SELECT ('00000000-0000-7004-8000-' || lpad(to_hex(m), 12, '0'))::uuid, 'NGN', 'available',
    %(organisation)s, ('00000000-0000-7000-9000-' || lpad(to_hex(m), 12, '0'))::uuid, 1000
FROM generate_series(1, %(members)s) AS m;
SET session_replication_role = origin;
