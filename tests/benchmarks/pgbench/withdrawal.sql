-- The minimal statements of a withdrawal, on the peer's tables. :wallets is how many wallets to
-- spread over; the accounts of wallet n have fixed ids (see tests/benchmarks/withdrawals.py).
\set n random(1, :wallets)
BEGIN;
UPDATE peer.peer_account SET balance = balance - 100
    WHERE id = ('00000000-0000-4000-8000-0000' || lpad(to_hex(:n::integer), 8, '0'))::uuid AND balance >= 100;
UPDATE peer.peer_account SET balance = balance + 100
    WHERE id = ('00000000-0000-4000-9000-0000' || lpad(to_hex(:n::integer), 8, '0'))::uuid;
WITH made AS (
    SELECT gen_random_uuid() AS transfer, gen_random_uuid() AS bank, gen_random_uuid() AS request
), t AS (
    INSERT INTO peer.peer_transfer (id, reference, kind, created_at)
    SELECT transfer, request::text, 'withdrawal_hold', now() FROM made
), e AS (
    INSERT INTO peer.peer_entry (id, transfer_id, account_id, amount)
    SELECT gen_random_uuid(), transfer,
           ('00000000-0000-4000-8000-0000' || lpad(to_hex(:n::integer), 8, '0'))::uuid, -100 FROM made
    UNION ALL
    SELECT gen_random_uuid(), transfer,
           ('00000000-0000-4000-9000-0000' || lpad(to_hex(:n::integer), 8, '0'))::uuid, 100 FROM made
), b AS (
    INSERT INTO peer.peer_bankrecord (id, name, code, account_number, account_name, currency)
    SELECT bank, 'KCB Bank Kenya', '01', '0690000031', 'Bench', 'KES' FROM made
), w AS (
    INSERT INTO peer.peer_withdrawal
        (id, owner, owner_model, reference, amount, disburse_amount, fee, currency, bank_id, status,
         created_at, updated_at)
    SELECT request, request, 'user', left(request::text, 40), 100, 70, 30, 'KES', bank, 'Pending',
           now(), now() FROM made
)
INSERT INTO peer.peer_event (id, type, organisation_id, body, created_at)
    SELECT gen_random_uuid(), 'withdrawal.created', 1, '{}', now() FROM made;
COMMIT;
