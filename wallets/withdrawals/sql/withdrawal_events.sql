-- Data of a withdrawal event: the record and its first decider (JSON text of
-- `public_actor`, or NULL), the bank record, and the member (JSON text) or null.
CREATE FUNCTION withdrawal_event_data(
    p_withdrawal text, p_actioned_by text, p_bank text, p_user text
) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN '{"withdrawal":' || left(p_withdrawal, -1)
        || ',"actioned_by":' || coalesce(p_actioned_by, 'null')
        || '},"bank":' || p_bank || ',"user":' || coalesce(p_user, 'null') || '}';
END $$;

-- Emits one event about a withdrawal to its organisation, in the transaction of the change.
-- The actor is the first decider; with p_named, staff are named.
CREATE FUNCTION emit_withdrawal_event(
    p_event uuid, p_withdrawal uuid, p_type text, p_named boolean DEFAULT false
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.emit_events(
        ARRAY[p_event], ARRAY[w.organisation_id], ARRAY[p_type], ARRAY[w.id],
        ARRAY[public.withdrawal_event_data(
            w.document,
            (SELECT public.public_actor(d.actor, d.actor_label, p_named)
             FROM public.wallets_decision d
             WHERE d.withdrawal_id = w.id AND d.verdict IN ('Approve', 'Reject', 'Cancel')
             ORDER BY d.created_at, d.id LIMIT 1),
            b.document,
            public.member_json(w.member_id, w.organisation_id))])
    FROM public.wallets_withdrawal w
    JOIN public.wallets_bankaccount b ON b.id = w.bank_id
    WHERE w.id = p_withdrawal;
END $$;
