"""Migration operations for a column with a default on a table whose row type SQL functions use.

PostgreSQL refuses the column while a function with a parsed body (`RETURN …`) names the row type,
or a composite type that contains it ("cannot alter table … because function … uses its row type";
in minor releases since 2026). The functions are set aside within the migration's transaction, so
that processes of the previous release never miss them:

    operations = [SetRowFunctionsAside("orders_order"), …, RestoreRowFunctions()]
"""

from django.db.migrations.operations import RunSQL
from django.db.migrations.operations.base import Operation

_SET_ASIDE = """
CREATE TEMPORARY TABLE set_aside ON COMMIT DROP AS
WITH RECURSIVE row_type (id) AS (
    SELECT reltype FROM pg_class WHERE oid = 'public.{table}'::regclass
    UNION
    SELECT c.reltype
    FROM row_type r
    JOIN pg_type t ON t.oid = r.id OR t.typelem = r.id
    JOIN pg_attribute a ON a.atttypid = t.oid AND NOT a.attisdropped
    JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'c'
), used (id) AS (
    SELECT t.oid FROM row_type r JOIN pg_type t ON t.oid = r.id OR t.typelem = r.id
), needed (id) AS (
    SELECT p.oid
    FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
    WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_type'::regclass
        AND d.refobjid IN (SELECT id FROM used) AND p.prosqlbody IS NOT NULL
    UNION
    -- Functions with a parsed body that call one of these.
    SELECT d.objid
    FROM needed n JOIN pg_depend d ON d.refobjid = n.id
    WHERE d.refclassid = 'pg_proc'::regclass AND d.classid = 'pg_proc'::regclass
)
SELECT p.oid AS id, p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition,
       p.proacl AS rights, p.proowner AS owner,
       CASE t.typname WHEN p.proname THEN t.oid::regtype END AS constructs
FROM needed n JOIN pg_proc p ON p.oid = n.id JOIN pg_type t ON t.oid = p.prorettype;
DO $$
DECLARE
    v_names text := (SELECT string_agg(name, ', ') FROM set_aside);
BEGIN
    IF v_names IS NOT NULL THEN
        EXECUTE 'DROP FUNCTION ' || v_names;
    END IF;
END $$;
"""
# Those that are called were created first. A constructor has a parameter for each column, the new
# ones too; its rights are those of new functions.
_RESTORE = """
DO $$
DECLARE
    f record;
    r record;
BEGIN
    FOR f IN SELECT * FROM set_aside ORDER BY id LOOP
        IF f.constructs IS NOT NULL THEN
            PERFORM public.make_constructor(f.constructs);
            CONTINUE;
        END IF;
        EXECUTE f.definition;
        IF f.rights IS NOT NULL THEN
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.name);
            FOR r IN SELECT x.grantee FROM aclexplode(f.rights) x WHERE x.grantee <> f.owner LOOP
                EXECUTE format(
                    'GRANT EXECUTE ON FUNCTION %s TO %s', f.name,
                    CASE r.grantee WHEN 0 THEN 'PUBLIC' ELSE r.grantee::regrole::text END);
            END LOOP;
        END IF;
    END LOOP;
END $$;
DROP TABLE set_aside;
"""


class SetRowFunctionsAside(RunSQL):
    """Drops the functions that use the row type of `table`, until `RestoreRowFunctions`."""

    # In migration files it is `SetRowFunctionsAside("orders_order")`.
    deconstruct = Operation.deconstruct

    def __init__(self, table: str) -> None:
        # Parameters None: the text is sent as it is.
        super().__init__([(_SET_ASIDE.format(table=table), None)], reverse_sql=RunSQL.noop)


class RestoreRowFunctions(RunSQL):
    """Creates the functions that were set aside again, with their rights."""

    # In migration files it is `RestoreRowFunctions()`.
    deconstruct = Operation.deconstruct

    def __init__(self) -> None:
        super().__init__([(_RESTORE, None)], reverse_sql=RunSQL.noop)
