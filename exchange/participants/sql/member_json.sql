-- A member as events show it; NULL without one, and for another organisation's member.
CREATE FUNCTION member_json(p_member uuid, p_organisation uuid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT row_to_json(u)::text FROM (
            SELECT m.id AS "_id", m.name, m.email FROM public.exchange_member m
            WHERE m.id = p_member AND m.organisation_id = p_organisation
        ) u
    );
END $$;
