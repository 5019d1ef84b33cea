-- Units number `first` to `last` of `units`: each is six deposits and a withdrawal of one of
-- `members`, with bank record, payout, events, transfers and 19 entries. Run by the owner with triggers
-- off, except those that write documents, so balances are computed here: a member's first n units leave
-- 2,000 n in the wallet. The last 400 units are Pending withdrawals, the others are Completed. Units
-- are spread over two years; ids are in the order of time.
CREATE TEMPORARY TABLE unit ON COMMIT DROP AS
SELECT n, k, at, mod(n, %(members)s) AS m, 10000.0 + v AS amount, v,
    n > %(units)s - 400 AS pending,
    ('00000000-0000-7000-9000-' || lpad(to_hex(mod(n, %(members)s)), 12, '0'))::uuid AS member,
    ('00000000-0000-7001-8000-' || lpad(to_hex(mod(n, %(members)s)), 12, '0'))::uuid AS available,
    ('00000000-0000-7002-8000-' || lpad(to_hex(mod(n, %(members)s)), 12, '0'))::uuid AS escrow,
    growth_id(at + interval '70 seconds', 'b', 0, n) AS id
FROM generate_series(%(first)s::bigint, %(last)s) AS n
CROSS JOIN LATERAL (
    SELECT (n - 1) / %(members)s AS k, mod(n * 7919, 1000)::numeric AS v,
        date_trunc('milliseconds', %(until)s::timestamptz - interval '730 days'
                   * (1 - n / %(units)s::double precision)) AS at) AS moment;

-- Step 1 to 6: deposits. 7: hold. 8: settlement. 9: charge.
CREATE TEMPORARY TABLE step ON COMMIT DROP AS
SELECT unit.n, number, kind, unit.at + number * interval '10 seconds' AS at,
    growth_id(unit.at + number * interval '10 seconds', 'c', number, unit.n) AS id,
    CASE WHEN number <= 6 THEN growth_id(unit.at + number * interval '10 seconds', 'a', number, unit.n)
        ELSE unit.id END AS subject,
    CASE WHEN number < 6 THEN 2000 WHEN number = 6 THEN 2000 + v ELSE amount END AS amount,
    2000 * k + CASE WHEN number < 6 THEN 2000 * number WHEN number = 6 THEN 12000 + v ELSE 2000 END
        AS after,
    member, available, escrow
FROM unit CROSS JOIN (VALUES
    (1, 'deposit'), (2, 'deposit'), (3, 'deposit'), (4, 'deposit'), (5, 'deposit'), (6, 'deposit'),
    (7, 'withdrawal_hold'), (8, 'withdrawal_settle'), (9, 'provider_charge')) AS s (number, kind)
WHERE number <= 7 OR NOT pending;

INSERT INTO wallets_deposit
    (id, organisation_id, member_id, currency_id, amount, reference, note, status, created_at,
     decided_at, reason)
SELECT subject, %(organisation)s, member, 'KES', amount, 'growth-' || n || '-' || number, '',
    'Completed', at, at, ''
FROM step WHERE number <= 6;

INSERT INTO wallets_transfer (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
SELECT id, kind, CASE number WHEN 7 THEN 'withdrawal:' || subject || ':hold'
        WHEN 8 THEN 'withdrawal:' || subject || ':close'
        WHEN 9 THEN 'withdrawal:' || subject || ':charge' ELSE 'deposit:' || subject END,
    subject, 'system:benchmark', '', at, txid_current()
FROM step;

INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount, balance_after)
SELECT growth_id(at, 'd', 16 * number + leg, n), step.id, account, 'KES', value, balance_after
FROM step
CROSS JOIN (
    SELECT (array_agg(id) FILTER (WHERE kind = 'clearing'))[1] AS clearing,
        (array_agg(id) FILTER (WHERE kind = 'fees'))[1] AS fees,
        (array_agg(id) FILTER (WHERE kind = 'expenses'))[1] AS expenses
    FROM wallets_account WHERE asset_id = 'KES' AND organisation_id IS NULL) AS system
CROSS JOIN LATERAL (VALUES
    ('deposit', 1, clearing, -amount, NULL), ('deposit', 2, available, amount, after),
    ('withdrawal_hold', 1, available, -amount, after), ('withdrawal_hold', 2, escrow, amount, amount),
    ('withdrawal_settle', 1, escrow, -amount, 0), ('withdrawal_settle', 2, clearing, amount - 50, NULL),
    ('withdrawal_settle', 3, fees, 50, NULL),
    ('provider_charge', 1, expenses, -10, NULL), ('provider_charge', 2, clearing, 10, NULL)
) AS legs (of, leg, account, value, balance_after)
WHERE legs.of = step.kind;

INSERT INTO wallets_bankaccount
    (id, organisation_id, name, code, account_number, account_name, provided_name, name_resolved,
     currency_id, branch_code, recipient_first_name, recipient_last_name, recipient_email,
     recipient_phone, recipient_address, created_at)
SELECT id, %(organisation)s, 'Equity Bank', '68', lpad((690000000 + m)::text, 10, '0'),
    'MEMBER ' || m, 'Member ' || m, true, 'KES', '', '', '', '', '', '', at
FROM unit;
INSERT INTO wallets_withdrawal
    (id, organisation_id, member_id, reference, currency_id, amount, fee, disburse_amount,
     internal_fee, internal_fee_type, escrow_account_id, bank_id, status, version, requested_by,
     approvals_needed, actioned_by, reason, created_at, updated_at)
SELECT id, %(organisation)s, member, 'payout_' || lpad(to_hex(n), 26, '0'), 'KES', amount, 50,
    amount - 50, 0, 'NONE', escrow, id, CASE WHEN pending THEN 'Pending' ELSE 'Completed' END, 3,
    'api_key:growth', 1, '', '', at + interval '70 seconds',
    at + interval '70 seconds' + interval '20 seconds' * (NOT pending)::integer
FROM unit;
INSERT INTO wallets_payout
    (withdrawal_id, claimed_by, attempts, posted_at, provider_id, provider_status, provider_fee,
     provider_message, last_error, status_checks, not_found_count, settled_at, created_at, updated_at)
SELECT id, '', 1, at, n::text, 'SUCCESSFUL', 10, '', '', 1, 0, at + interval '80 seconds', at, at
FROM unit WHERE NOT pending;

WITH made AS (
INSERT INTO exchange_event
    (id, organisation_id, type, subject_id, body, status, attempts, created_at, delivered_at)
SELECT e.id, %(organisation)s, e.type, unit.id,
    event_body(e.id, e.type, withdrawal_event_data(
        w.document, NULL, b.document,
        '{"_id":"' || member || '","name":"Member ' || m || '","email":"m' || m || '@example.com"}'),
        wire_time(unit.at)),
    'Delivered', 1, unit.at + number * interval '5 seconds' + interval '70 seconds', unit.at
FROM unit
JOIN wallets_withdrawal w ON w.id = unit.id
JOIN wallets_bankaccount b ON b.id = unit.id
CROSS JOIN (VALUES (1, 'created'), (2, 'approved'), (3, 'processing'), (4, 'completed'))
    AS s (number, name)
CROSS JOIN LATERAL (
    SELECT growth_id(unit.at + number * interval '5 seconds' + interval '70 seconds', 'e', number, n)
        AS id, 'withdrawal.' || s.name AS type) AS e
WHERE number = 1 OR NOT pending
RETURNING id, organisation_id, created_at
)
INSERT INTO exchange_eventnumber (event_id, organisation_id, numbered_at)
SELECT id, organisation_id, created_at FROM made ORDER BY created_at, id;
