-- Withdrawals number `first` to `last` of 1,000 members, with their bank records, payouts,
-- transfers and ten entries each. Run by the owner; no trigger runs, those of foreign keys neither,
-- so accounts start with their balance. One in fifty is Pending, one in 1,000 each Unknown and
-- Approved, one in forty Failed; the others are Completed. They were requested over two months.
-- Ids are in the order of time, as those that the service makes: lists are read by them.

INSERT INTO exchange_member
    (id, organisation_id, name, email, external_id, created_at, updated_at, document)
SELECT ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, %(organisation)s,
    'Member ' || n, 'm' || n || '@example.com', '', now(), now(), ''
FROM generate_series(1, 1000) AS n ON CONFLICT DO NOTHING;

SET session_replication_role = replica;

INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
SELECT ('00000000-0000-700' || part.number || '-8000-' || lpad(to_hex(m), 12, '0'))::uuid, 'NGN',
    part.kind, %(organisation)s,
    ('00000000-0000-7000-9000-' || lpad(to_hex(m), 12, '0'))::uuid, 1000000
FROM generate_series(1, 1000) AS m
CROSS JOIN (VALUES (1, 'available'), (2, 'escrow')) AS part (number, kind)
ON CONFLICT DO NOTHING;
INSERT INTO wallets_account (id, asset_id, kind)
SELECT gen_random_uuid(), 'NGN', kind
FROM (VALUES ('clearing'), ('fees'), ('expenses')) AS system (kind)
ON CONFLICT DO NOTHING;

CREATE TEMPORARY TABLE asked AS
SELECT n, (left(made, 8) || '-' || right(made, 4) || '-7000-b000-' || lpad(to_hex(n), 12, '0'))::uuid
        AS id, made,
    1 + mod(n * 31, 1000) AS m,
    ('00000000-0000-7000-9000-' || lpad(to_hex(1 + mod(n * 31, 1000)), 12, '0'))::uuid AS member,
    ('00000000-0000-7001-8000-' || lpad(to_hex(1 + mod(n * 31, 1000)), 12, '0'))::uuid AS available,
    ('00000000-0000-7002-8000-' || lpad(to_hex(1 + mod(n * 31, 1000)), 12, '0'))::uuid AS escrow,
    1000 + mod(n * 7919, 90000)::numeric AS amount, at,
    CASE WHEN mod(n, 50) = 1 THEN 'Pending' WHEN mod(n, 1000) = 2 THEN 'Unknown'
        WHEN mod(n, 1000) = 3 THEN 'Approved' WHEN mod(n, 40) = 4 THEN 'Failed'
        ELSE 'Completed' END AS status
FROM generate_series(%(first)s, %(last)s) AS n
CROSS JOIN LATERAL (SELECT now() - interval '60 days' * (1 - n / 100000.0) AS at) AS moment
CROSS JOIN LATERAL (
    SELECT lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS made) AS milliseconds;

INSERT INTO wallets_bankaccount
    (id, organisation_id, name, code, account_number, account_name, provided_name, name_resolved,
     currency_id, branch_code, recipient_first_name, recipient_last_name, recipient_email,
     recipient_phone, recipient_address, created_at, document)
SELECT id, %(organisation)s, 'Access Bank', '044', lpad((690000000 + m)::text, 10, '0'),
    'MEMBER ' || m, 'Member ' || m, true, 'NGN', '', '', '', '', '', '', at, ''
FROM asked;
INSERT INTO wallets_withdrawal
    (id, organisation_id, member_id, reference, currency_id, amount, fee, disburse_amount,
     internal_fee, internal_fee_type, escrow_account_id, bank_id, status, version, requested_by,
     approvals_needed, actioned_by, reason, created_at, updated_at, document)
SELECT id, %(organisation)s, member, 'payout_' || lpad(to_hex(n), 26, '0'), 'NGN', amount, 50,
    amount - 50, 0, 'NONE', escrow, id, status, 3, 'api_key:' || id, 1, '', '', at,
    at + interval '10 minutes', ''
FROM asked;
INSERT INTO wallets_payout
    (withdrawal_id, claimed_by, attempts, posted_at, provider_id, provider_status,
     provider_message, last_error, status_checks, not_found_count, settled_at, created_at, updated_at)
SELECT id, '', 1, at, n::text, 'SUCCESSFUL', '', '', 1, 0,
    CASE WHEN status = 'Completed' THEN at + interval '10 minutes' END, at, at
FROM asked WHERE status <> 'Pending';

CREATE TEMPORARY TABLE moved AS
SELECT (left(made, 8) || '-' || right(made, 4) || '-700' || step.number || '-c000-'
        || lpad(to_hex(n), 12, '0'))::uuid AS id,
    step.number, step.kind, asked.id AS subject, available, escrow, amount, at
FROM asked CROSS JOIN (VALUES (1, 'deposit'), (2, 'withdrawal_hold'), (3, 'withdrawal_settle'),
    (4, 'provider_charge')) AS step (number, kind);
INSERT INTO wallets_transfer (id, kind, reference, subject_id, actor, memo, created_at, created_txid)
SELECT id, kind, kind || ':' || subject, subject, 'system:benchmark', '', at, 1 FROM moved;
INSERT INTO wallets_entry (id, transfer_id, account_id, asset_id, amount, balance_after)
SELECT
    (left(moved.id::text, 16) || number || leg || '-d000-' || right(moved.id::text, 12))::uuid,
    moved.id, account, 'NGN', value, 1000000
FROM moved
CROSS JOIN (
    SELECT (array_agg(id) FILTER (WHERE kind = 'clearing'))[1] AS clearing,
        (array_agg(id) FILTER (WHERE kind = 'fees'))[1] AS fees,
        (array_agg(id) FILTER (WHERE kind = 'expenses'))[1] AS expenses
    FROM wallets_account WHERE asset_id = 'NGN' AND organisation_id IS NULL) AS system
CROSS JOIN LATERAL (VALUES
    (1, 1, clearing, -amount), (1, 2, available, amount),
    (2, 1, available, -amount), (2, 2, escrow, amount),
    (3, 1, escrow, -amount), (3, 2, clearing, amount - 50), (3, 3, fees, 50.0),
    (4, 1, clearing, 10.75), (4, 2, expenses, -10.75), (4, 3, expenses, 0.01)
) AS legs (step, leg, account, value)
WHERE legs.step = number;
SET session_replication_role = origin;
