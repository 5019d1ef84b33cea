-- Returns why nothing may move to a member, from it or in its name: 'user_not_found', also for another
-- organisation's member, or 'member_closed'; NULL for an active member, and without a member.
CREATE FUNCTION member_refusal(p_organisation uuid, p_member uuid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_closed_at timestamptz;
BEGIN
    IF p_member IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT m.closed_at INTO v_closed_at FROM public.exchange_member m
        WHERE m.id = p_member AND m.organisation_id = p_organisation;
    IF NOT FOUND THEN
        RETURN 'user_not_found';
    END IF;
    RETURN CASE WHEN v_closed_at IS NOT NULL THEN 'member_closed' END;
END $$;

-- Returns whether a member cannot withdraw because the organisation requires verified members for it.
CREATE FUNCTION verification_missing(p_organisation uuid, p_member uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN p_member IS NOT NULL AND EXISTS (
        SELECT FROM public.exchange_member m
        JOIN public.exchange_organisation o ON o.id = m.organisation_id
        WHERE m.id = p_member AND m.organisation_id = p_organisation
            AND o.verification_required_for_withdrawals AND m.verification <> 'verified');
END $$;
