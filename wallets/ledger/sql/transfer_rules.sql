-- Rules of posting: for each kind of transfer, the accounts that money may leave and enter, the record
-- and state that justify it, and the condition that checks it. Checked at commit, because a record may be
-- written, or reach its state, after its money moved. The rules bind every writer, functions of the owner
-- included.
--
-- Each subject declares the rules of the transfers that its records justify, in its own files.
REVOKE ALL ON wallets_transferrule FROM exchange_runtime;
GRANT SELECT ON wallets_transferrule TO exchange_runtime;
SELECT audit_table('wallets_transferrule', record => 'kind', inserts => NULL);

-- `p_justified_if` is a condition on NEW, the row of wallets_transfer.
CREATE FUNCTION set_transfer_rule(
    p_kind text, p_leaves text[], p_enters text[], p_reference text, p_record text,
    p_states text[], p_by_service boolean, p_justified_if text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.wallets_transferrule AS r
        (kind, leaves, enters, reference, record, states, by_service, justified_if)
    VALUES (p_kind, p_leaves, p_enters, p_reference, p_record, p_states, p_by_service, p_justified_if)
    ON CONFLICT (kind) DO UPDATE SET leaves = excluded.leaves, enters = excluded.enters,
        reference = excluded.reference, record = excluded.record, states = excluded.states,
        by_service = excluded.by_service, justified_if = excluded.justified_if
    WHERE (r.leaves, r.enters, r.reference, r.record, r.states, r.by_service, r.justified_if)
        IS DISTINCT FROM (excluded.leaves, excluded.enters, excluded.reference, excluded.record,
                          excluded.states, excluded.by_service, excluded.justified_if);
    PERFORM public.write_transfer_justified();
END $$;
REVOKE ALL ON FUNCTION set_transfer_rule FROM PUBLIC;

-- Writes the trigger function `transfer_justified` from the rules: the conditions as plain statements,
-- those of the most frequent kinds, which functions alone post, first. A kind without a rule is refused.
--
-- Planned once: planning takes longer than the query. One trigger for all kinds: separate conditions
-- would be evaluated by every statement that writes a transfer.
CREATE FUNCTION write_transfer_justified() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (
        SELECT format($function$
CREATE OR REPLACE FUNCTION public.transfer_justified() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $body$
DECLARE
    v_justified boolean := false;
BEGIN
    CASE NEW.kind%s
    ELSE
    END CASE;
    IF v_justified THEN
        RETURN NULL;
    ELSIF NOT EXISTS (SELECT FROM public.wallets_entry WHERE transfer_id = NEW.id) THEN
        RAISE EXCEPTION 'transfer %% has no legs', NEW.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_balanced';
    END IF;
    RAISE EXCEPTION 'no record justifies transfer %% (%%)', NEW.reference, NEW.kind
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_justified';
END $body$
$function$,
            string_agg(format(E'\n    WHEN %s THEN\n        v_justified := %s;', kinds, justified_if), ''
                       ORDER BY by_service, justified_if))
        FROM (
            SELECT string_agg(quote_literal(kind), ', ' ORDER BY kind) AS kinds,
                   bool_and(by_service) AS by_service, justified_if
            FROM public.wallets_transferrule WHERE justified_if <> '' GROUP BY justified_if
        ) r);
END $$;
REVOKE ALL ON FUNCTION write_transfer_justified FROM PUBLIC;

SELECT set_transfer_rule('units_issue', '{issuance}', '{unsold,available}', 'token:{id}:issue',
    'exchange_token', '{}', true, 'public.units_transfer_justified(NEW)');
SELECT set_transfer_rule('units_retire', '{unsold}', '{issuance}', 'token:{id}:retire',
    'exchange_token', '{cancelled}', true, 'public.units_transfer_justified(NEW)');

CREATE TYPE transfer_leg AS (
    kind text, owner_id uuid, balance numeric, asset_id text, amount numeric, fits boolean
);

-- The legs of a transfer with their accounts; none where its kind has no rule. `fits`: the rule allows
-- such an account, the reference is that of the record, and the rule lists `p_state`, the record's
-- state.
--
-- The planner inlines the query. OFFSET 0 keeps it from reading all entries of an account.
CREATE FUNCTION transfer_legs(t wallets_transfer, p_state text)
RETURNS SETOF transfer_leg LANGUAGE sql STABLE AS $$
    SELECT a.kind::text, a.owner_id, a.balance, e.asset_id::text, e.amount,
           a.kind = ANY (CASE WHEN e.amount < 0 THEN r.leaves ELSE r.enters END)
               AND t.reference LIKE replace(r.reference, '{id}', t.subject_id::text)
               AND (r.states = '{}' OR p_state = ANY (r.states))
    FROM (SELECT account_id, asset_id, amount FROM public.wallets_entry
          WHERE transfer_id = t.id OFFSET 0) e
    JOIN public.wallets_account a ON a.id = e.account_id
    JOIN public.wallets_transferrule r ON r.kind = t.kind
$$;

-- Whether a token justifies the issue or retirement of its units.
CREATE FUNCTION units_transfer_justified(posted wallets_transfer) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT bool_and((
                e.fits
                AND e.asset_id = t.id::text
                AND (e.owner_id = t.issuer_id OR e.owner_id IS NULL)
                AND (posted.kind <> 'units_issue' OR e.amount > 0 OR e.amount = - t.total_supply)) IS TRUE)
        FROM public.exchange_token t,
             public.transfer_legs(posted, CASE WHEN t.cancelled THEN 'cancelled' END) e
        WHERE t.id = posted.subject_id);
END $$;

CREATE CONSTRAINT TRIGGER transfer_justified AFTER INSERT ON wallets_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION transfer_justified();
