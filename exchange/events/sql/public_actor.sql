-- An actor as its organisation sees it: JSON text, or NULL without an actor.
--
-- p_actor is an actor as text (`staff:<id>`, `api_key:<id>`, `system:<job>`) and p_label its name. Staff
-- appear as a role and a permanent opaque id that reveals neither login nor record; the name is added
-- only if p_named is set. API keys appear by name, as they are the organisation's own.
CREATE FUNCTION public_actor(p_actor text, p_label text, p_named boolean) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_kind text := split_part(p_actor, ':', 1);
    v_role text := 'system';
    v_id text := 'system';
    v_named boolean := false;
BEGIN
    IF p_actor IS NULL THEN
        RETURN NULL;
    ELSIF v_kind = 'staff' THEN
        SELECT coalesce(min(lower(g.name)), 'staff'),
               'staff_' || replace((min(s.public_id::text)), '-', '')
            INTO v_role, v_id
            FROM public.exchange_staffuser s
            LEFT JOIN public.exchange_staffuser_groups m ON m.staffuser_id = s.id
            LEFT JOIN public.auth_group g ON g.id = m.group_id
            WHERE s.id = substr(p_actor, 7)::uuid;
        v_named := p_named;
    ELSIF v_kind = 'api_key' THEN
        v_role := 'API key';
        SELECT k.client_id INTO v_id
            FROM public.exchange_apikey k WHERE k.id = substr(p_actor, 9)::uuid;
        v_named := true;
    END IF;
    RETURN '{"role":' || to_json(v_role)::text
        || ',"id":' || coalesce(to_json(v_id)::text, 'null')
        || CASE WHEN v_named THEN ',"name":' || to_json(p_label)::text ELSE '' END || '}';
END $$;
