-- Tax rates: two people (exchange/staff/sql/two_person.sql), and which of them holds.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON credit_taxrate
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'tax_rate', 'proposed_by_id', 'Pending', 'Approved', 'reason,owner_id');
REVOKE DELETE ON credit_taxrate FROM exchange_runtime;
SELECT audit_table('credit_taxrate', left_out => '{owner_id}');

-- What staff propose that an owner is for tax.
CREATE TRIGGER approval_guard BEFORE INSERT OR UPDATE OR DELETE ON credit_taxfactsproposal
    FOR EACH ROW EXECUTE FUNCTION two_person_guard(
        'tax_facts', 'proposed_by_id', 'Pending', 'Approved', 'reason,owner_id');
REVOKE DELETE ON credit_taxfactsproposal FROM exchange_runtime;
SELECT audit_table('credit_taxfactsproposal', hidden => '{tax_id}', left_out => '{owner_id}');

-- The percent of tax on income of a type from issuers of a country; 0 where no rate fits.
--
-- An owner's own rate comes first, then one that names residence and kind, then residence, then kind;
-- of those for the same owners, the one that started last replaces the others, also after its end.
CREATE FUNCTION tax_rate(
    p_type text, p_issuer_country text, p_owner uuid, p_kind text, p_residence text, p_day date
) RETURNS numeric LANGUAGE sql STABLE AS $$
    SELECT coalesce((
        SELECT r.percent
        FROM (
            SELECT DISTINCT ON (x.owner_id, x.residence, x.holder_kind)
                   x.owner_id, x.residence, x.holder_kind, x.percent, x.valid_until
            FROM public.credit_taxrate x
            WHERE x.status = 'Approved' AND x.type = p_type AND x.issuer_country = p_issuer_country
              AND x.valid_from <= p_day
              AND (x.owner_id IS NULL OR x.owner_id = p_owner)
              AND x.residence IN ('', p_residence) AND x.holder_kind IN ('', p_kind)
            ORDER BY x.owner_id, x.residence, x.holder_kind, x.valid_from DESC, x.decided_at DESC
        ) r
        WHERE r.valid_until IS NULL OR r.valid_until >= p_day
        ORDER BY r.owner_id IS NULL, r.residence = '', r.holder_kind = ''
        LIMIT 1), 0)
$$;
