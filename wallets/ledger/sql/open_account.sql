-- Returns the id of an owner's account (no owner: a system account), opened with `p_id` if new.
CREATE FUNCTION open_account(
    p_id uuid, p_asset text, p_kind text, p_organisation uuid, p_member uuid
) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
    v_owner uuid := coalesce(p_member, p_organisation);
    v_id uuid;
BEGIN
    LOOP
        -- `IS NOT DISTINCT FROM` would read all accounts of the asset.
        SELECT id INTO v_id FROM wallets_account
            WHERE (owner_id = v_owner OR v_owner IS NULL AND owner_id IS NULL)
                AND asset_id = p_asset AND kind = p_kind;
        IF FOUND THEN
            RETURN v_id;
        END IF;
        INSERT INTO wallets_account (id, asset_id, kind, organisation_id, member_id, balance)
        VALUES (p_id, p_asset, p_kind, p_organisation, p_member,
                CASE WHEN p_organisation IS NULL THEN NULL ELSE 0 END)
        ON CONFLICT ON CONSTRAINT account_once_per_owner DO NOTHING
        RETURNING id INTO v_id;
        IF FOUND THEN
            RETURN v_id;
        END IF;
        -- Opened concurrently between the two statements: read that one.
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION open_account(uuid, text, text, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_account(uuid, text, text, uuid, uuid) TO exchange_runtime;
