-- Guards of privileged access (docs/decisions/0025-privileged-access.md).

CREATE TRIGGER two_person_guard AFTER INSERT OR UPDATE OR DELETE
    ON exchange_accessproposal FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'access_proposal', 'proposed_by_id', 'Pending', 'Approved',
        'reason,proposed_by_id,person_id', 'collected_at,key_id', 'Pending,Approved');

-- Adoption of a command's proposal, the created user and the collected secret are written once. The
-- trigger above guards everything else.
CREATE FUNCTION access_proposal_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.proposed_by_id IS NOT NULL AND NEW.proposed_by_id IS DISTINCT FROM OLD.proposed_by_id
        OR OLD.person_id IS NOT NULL AND NEW.person_id IS DISTINCT FROM OLD.person_id
        OR OLD.collected_at IS NOT NULL AND (NEW.collected_at, NEW.key_id)
            IS DISTINCT FROM (OLD.collected_at, OLD.key_id)
    THEN
        RAISE EXCEPTION 'access proposal % was taken up or collected before', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER access_proposal_once BEFORE UPDATE ON exchange_accessproposal
    FOR EACH ROW EXECUTE FUNCTION access_proposal_once();

REVOKE DELETE, TRUNCATE ON exchange_accessproposal FROM exchange_runtime;
SELECT audit_table('exchange_accessproposal', about => 'person_id');

-- The service makes no access look older than it is; the owner of the tables can.
CREATE FUNCTION staff_access_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_user = 'exchange_runtime' THEN
        NEW.access_changed_at := greatest(OLD.access_changed_at, NEW.access_changed_at);
        IF TG_OP = 'INSERT' OR NEW.is_active AND NOT OLD.is_active THEN
            NEW.access_changed_at := greatest(NEW.access_changed_at, now());
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER staff_access_guard BEFORE INSERT OR UPDATE OF access_changed_at, is_active
    ON exchange_staffuser FOR EACH ROW EXECUTE FUNCTION staff_access_guard();

SELECT make_append_only('exchange_accessrecord');
SELECT keep_from_service('auth_group');
SELECT keep_from_service('auth_permission');
SELECT keep_from_service('auth_group_permissions');
SELECT keep_from_service('exchange_staffuser_user_permissions');

SELECT audit_table('exchange_staffuser', hidden => '{password}', left_out => '{last_login}');
SELECT audit_table('exchange_secondfactor', record => 'user_id',
    hidden => '{secret_encrypted}', left_out => '{last_step}');
SELECT audit_table('exchange_recoverycode', about => 'user_id', hidden => '{code_hash}');
SELECT audit_table('exchange_staffuser_groups', about => 'staffuser_id');
SELECT audit_table('exchange_staffuser_user_permissions', about => 'staffuser_id');
SELECT audit_table('auth_group');
SELECT audit_table('auth_group_permissions', about => 'group_id');
