-- Emits one event about a withdrawal to its organisation, in the transaction of the change.
CREATE OR REPLACE FUNCTION emit_withdrawal_event(p_event uuid, p_withdrawal uuid, p_type text)
RETURNS void LANGUAGE sql
SET search_path = public, pg_temp AS $$
    SELECT emit_event(
        p_event, w.organisation_id, p_type, w.id,
        '{"withdrawal":' || left(w.document, -1)
            || ',"actioned_by":' || coalesce(to_json(nullif(w.actioned_by, ''))::text, 'null')
            || '},"bank":' || b.document
            || ',"user":' || coalesce(
                (SELECT row_to_json(u)::text FROM (SELECT m.id AS "_id", m.name, m.email) u
                 WHERE m.id IS NOT NULL), 'null')
            || '}')
    FROM wallets_withdrawal w
    JOIN wallets_bankaccount b ON b.id = w.bank_id
    LEFT JOIN exchange_member m ON m.id = w.member_id
    WHERE w.id = p_withdrawal;
$$;
