-- Dual control of configuration versions and closure proposals: see exchange/staff/sql/two_person.sql.
-- An approved version may still be superseded.
CREATE TRIGGER approval_guard
    BEFORE INSERT OR UPDATE OR DELETE ON credit_configurationversion
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'version', 'proposed_by', 'Pending', 'Approved', 'reason,approval_reason', 'status');
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON credit_endingproposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'closure', 'proposed_by_id', 'Pending', 'Confirmed',
        'final_plan,final_owed,final_value,final_deficiency');
