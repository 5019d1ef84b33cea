-- What the growth benchmark does not have, for members number 1 to `members` of `organisation`: two
-- orders (one of them open), a transfer to the organisation, a conversion, units of `token`, and a loan
-- for each tenth. Run by the owner with triggers off. The ledger knows nothing of these rows: pages are
-- measured, no books are proven.
CREATE TEMPORARY TABLE customer ON COMMIT DROP AS
SELECT n, %(organisation)s::uuid AS organisation, %(token)s::uuid AS token,
    ('00000000-0000-7000-9000-' || lpad(to_hex(mod(n, %(members)s)), 12, '0'))::uuid AS member,
    date_trunc('milliseconds', now() - interval '700 days' * (1 - n / %(members)s::double precision))
        AS at
FROM generate_series(1, %(members)s::bigint) AS n;

INSERT INTO orders_order
    (id, seq, token_id, organisation_id, member_id, owner_model, type, price, tokens, amount,
     fee_percent, status, filled, filled_value, charged, charged_fee, reserved, customer_name,
     customer_email, client_order_id, placed_by, reason, created_at, updated_at, closed_at, document)
SELECT growth_id(at + state.n * interval '1 minute', 'f', state.n, c.n), 2 * c.n + state.n + 1000,
    token, organisation, member, 'user', 'Buy', 100, 5, 500, 1, state.name, state.filled,
    100 * state.filled, 100 * state.filled, state.filled, 5 - state.filled, '', '',
    'order-' || c.n || '-' || state.n, 'api_key:growth', '', at + state.n * interval '1 minute', at,
    CASE WHEN state.filled = 5 THEN at END, ''
FROM customer c CROSS JOIN (VALUES (1, 'Active', 0), (2, 'Fulfilled', 5)) AS state (n, name, filled);

INSERT INTO wallets_wallettransfer
    (id, organisation_id, from_member_id, currency_id, amount, status, requested_by, created_at,
     document, client_reference)
SELECT growth_id(at + interval '3 minutes', 'f', 3, n), organisation, member, 'KES', 300 + mod(n, 97),
    'Completed', 'api_key:growth', at + interval '3 minutes', '', 'transfer-' || n
FROM customer;

INSERT INTO wallets_conversion
    (id, organisation_id, member_id, quote_id, from_currency_id, to_currency_id, amount, rate,
     converted_amount, fee, from_rate, to_rate, from_spread, to_spread, requested_by, status,
     created_at, document)
SELECT growth_id(at + interval '4 minutes', 'f', 4, n), organisation, member,
    growth_id(at + interval '4 minutes', 'f', 5, n), 'KES', 'USD', 1290, 0.0077, 9.9, 0.1, 129, 1, 50,
    50, 'api_key:growth', 'Completed', at + interval '4 minutes', ''
FROM customer;

INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
SELECT growth_id(at, 'f', 6, n), token::text, 'available', organisation, member, 5 FROM customer;

INSERT INTO credit_loan
    (id, borrower_id, organisation_id, creditor_id, configuration_id, version_id, currency_id, amount,
     repayment_amount, repayment_date, interest_rate, collateral_ratio, duration, grace_period,
     grace_period_unit, status, interest_repaid, principal_repaid, reason, bank_name, bank_code,
     account_number, requested_by, created_at, updated_at, collateral_text, document)
SELECT growth_id(at + interval '5 minutes', 'f', 7, n), member, organisation, organisation, token, token,
    'KES', 5000 + n, 6000 + n, at + interval '90 days', 0.05, 0.8, 3, 5, 'DAYS', 'COMPLETED', 1000, 5000,
    '', '', '', '', 'api_key:growth', at + interval '5 minutes', at, '[]', ''
FROM customer WHERE mod(n, 10) = 1;
