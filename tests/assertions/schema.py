"""The schema of a database, read from the catalogue, and the differences between two.

Each kind is a query that gives a name and a definition. The order of a table's columns counts for
nothing: an added one is last in an upgraded database, and where its model has it in a fresh one.
Left out are what belongs to an extension, the schema in which the suite keeps seed rows, and rights
on the database itself, which a copy of it does not have.
"""

import re
from typing import LiteralString

from tests.environment.database import Connection

Schema = dict[str, dict[str, str]]

# Objects and their privileges; objects without explicit ones have the defaults of their kind.
_WITH_RIGHTS = """
    SELECT CASE relkind WHEN 'S' THEN 'sequence ' ELSE 'table ' END || relname AS name,
           coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char",
                                       relowner)) AS rights
    FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
    UNION ALL
    SELECT 'column ' || c.relname || '.' || a.attname, a.attacl
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'public'::regnamespace AND a.attacl IS NOT NULL AND NOT a.attisdropped
    UNION ALL
    SELECT 'function ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner))
    FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND NOT {of_extension}
    UNION ALL
    SELECT 'type ' || typname, coalesce(typacl, acldefault('T', typowner))
    FROM pg_type t WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'c', 'd', 'r')
    UNION ALL
    SELECT 'schema ' || nspname, coalesce(nspacl, acldefault('n', nspowner))
    FROM pg_namespace WHERE nspname = 'public'
    UNION ALL
    SELECT 'by default ' || defaclobjtype::text || ' in ' || defaclnamespace::regnamespace,
           defaclacl
    FROM pg_default_acl
"""
_OF_EXTENSION = (
    "EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass"
    " AND d.deptype = 'e')"
)

KINDS: dict[str, LiteralString] = {
    "tables": """
        SELECT relname, concat_ws(', ',
            CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' ELSE relkind::text END,
            CASE relpersistence WHEN 'p' THEN 'permanent' ELSE relpersistence::text END,
            CASE WHEN relrowsecurity THEN 'row security' END,
            'replica identity ' || relreplident::text,
            array_to_string(ARRAY(SELECT o FROM unnest(reloptions) o
                                  WHERE o NOT LIKE 'autovacuum_enabled=%' ORDER BY o), ', '))
        FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
    """,
    "columns": """
        SELECT c.relname || '.' || a.attname, concat_ws(' ',
            format_type(a.atttypid, a.atttypmod),
            CASE WHEN a.attnotnull THEN 'not null' END,
            CASE a.attidentity WHEN 'a' THEN 'identity always' WHEN 'd' THEN 'identity' END,
            CASE WHEN a.attgenerated <> '' THEN 'generated ' || a.attgenerated::text
                 WHEN d.oid IS NOT NULL THEN 'default' END,
            pg_get_expr(d.adbin, d.adrelid),
            CASE WHEN a.attcollation <> t.typcollation THEN a.attcollation::regcollation::text END)
        FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid
        JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
          AND a.attnum > 0 AND NOT a.attisdropped
    """,
    # PostgreSQL 18 lists `not null` as a constraint, too; it is compared with its column.
    "constraints": """
        SELECT coalesce(nullif(conrelid, 0)::regclass::text, contypid::regtype::text)
                   || ' ' || conname,
               pg_get_constraintdef(oid)
               || CASE WHEN convalidated THEN '' ELSE ', not validated' END
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    """,
    "indexes": """
        SELECT c.relname, pg_get_indexdef(i.indexrelid)
               || CASE WHEN i.indisvalid THEN '' ELSE ', not valid' END
               || CASE WHEN i.indisprimary THEN ', primary' ELSE '' END
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE c.relnamespace = 'public'::regnamespace
    """,
    "sequences": """
        SELECT s.seqrelid::regclass::text, concat_ws(' ', format_type(s.seqtypid, NULL),
            s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle,
            'of ' || (SELECT pg_describe_object(refclassid, refobjid, refobjsubid) FROM pg_depend
                      WHERE objid = s.seqrelid AND classid = 'pg_class'::regclass
                        AND deptype IN ('a', 'i')))
        FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
        WHERE c.relnamespace = 'public'::regnamespace
    """,
    "triggers": """
        SELECT tgrelid::regclass || ' ' || tgname,
               pg_get_triggerdef(t.oid, true)
               || CASE tgenabled WHEN 'O' THEN '' ELSE ' ' || tgenabled::text END
        FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
        WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace
    """,
    # Including volatility, security, costs and settings. The constructor of a table's rows lists
    # its columns in their order, which does not count; its parameters name them too.
    "functions": f"""
        SELECT oid::regprocedure::text, CASE
            WHEN EXISTS (SELECT FROM pg_class c
                         WHERE c.reltype = prorettype AND c.relname = proname AND c.relkind = 'r')
            THEN split_part(pg_get_functiondef(oid), 'RETURN ROW', 1)
            ELSE pg_get_functiondef(oid) END
        FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
          AND NOT {_OF_EXTENSION}
    """,
    "types": """
        SELECT t.typname, CASE t.typtype
            WHEN 'e' THEN (SELECT string_agg(enumlabel, ', ' ORDER BY enumsortorder)
                           FROM pg_enum WHERE enumtypid = t.oid)
            WHEN 'c' THEN (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod),
                                             ', ' ORDER BY attnum)
                           FROM pg_attribute WHERE attrelid = t.typrelid AND NOT attisdropped)
            ELSE t.typtype::text || ' ' || format_type(t.typbasetype, t.typtypmod) END
        FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
        WHERE t.typnamespace = 'public'::regnamespace AND t.typtype IN ('e', 'c', 'd', 'r')
          AND coalesce(c.relkind = 'c', true)
    """,
    "views": """
        SELECT relname, pg_get_viewdef(oid) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')
    """,
    "rules and policies": """
        SELECT c.relname || ' ' || rulename, pg_get_ruledef(r.oid)
        FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
        WHERE c.relnamespace = 'public'::regnamespace AND rulename <> '_RETURN'
        UNION ALL
        SELECT tablename || ' ' || policyname, concat_ws(' ', cmd, roles::text, qual, with_check)
        FROM pg_policies WHERE schemaname = 'public'
        UNION ALL
        SELECT stxname, pg_get_statisticsobjdef(oid)
        FROM pg_statistic_ext WHERE stxnamespace = 'public'::regnamespace
        UNION ALL
        SELECT evtname, evtevent || ' ' || evtfoid::regprocedure FROM pg_event_trigger
    """,
    # The guards and rights of those of each table, and the form of their bounds. Which months there
    # are follows from the month in which a database was made.
    "partitions": """
        SELECT name, string_agg(DISTINCT found, '; ' ORDER BY found)
        FROM (
            SELECT coalesce(p.relname, c.relname) AS name, concat_ws(' ',
                regexp_replace(pg_get_expr(c.relpartbound, c.oid), $$'[^']*'$$, '…', 'g'),
                (SELECT string_agg(tgname, ', ' ORDER BY tgname) FROM pg_trigger
                 WHERE tgrelid = c.oid AND NOT tgisinternal),
                coalesce(c.relacl, acldefault('r', c.relowner))) AS found
            FROM pg_class c LEFT JOIN pg_inherits ON inhrelid = c.oid
            LEFT JOIN pg_class p ON p.oid = inhparent
            WHERE c.relnamespace = 'partitions'::regnamespace AND c.relkind = 'r') o
        GROUP BY name
    """,
    "comments": """
        SELECT DISTINCT pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description
        FROM pg_description d
        WHERE (d.classoid, d.objoid) IN (
            SELECT 'pg_class'::regclass, oid FROM pg_class
             WHERE relnamespace = 'public'::regnamespace
            UNION ALL SELECT 'pg_proc'::regclass, p.oid FROM pg_proc p
             WHERE pronamespace = 'public'::regnamespace
            UNION ALL SELECT 'pg_type'::regclass, oid FROM pg_type
             WHERE typnamespace = 'public'::regnamespace
            UNION ALL SELECT 'pg_constraint'::regclass, oid FROM pg_constraint
             WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT 'pg_trigger'::regclass, t.oid FROM pg_trigger t
             JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = 'public'::regnamespace)
    """,
    "rights": f"""
        SELECT name || ' to ' || CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
               string_agg(privilege_type || CASE WHEN is_grantable THEN '*' ELSE '' END, ', '
                          ORDER BY privilege_type)
        FROM ({_WITH_RIGHTS.replace("{of_extension}", _OF_EXTENSION)}) o, aclexplode(o.rights)
        GROUP BY name, grantee
    """,
    "owners": """
        SELECT relname, relowner::regrole::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
        UNION ALL
        SELECT oid::regprocedure::text, proowner::regrole::text FROM pg_proc p
        WHERE pronamespace = 'public'::regnamespace
    """,
    "schemas and extensions": """
        SELECT 'schema ' || nspname, '' FROM pg_namespace
        WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'seed')
        UNION ALL
        SELECT 'extension ' || extname, extversion || ' in ' || extnamespace::regnamespace
        FROM pg_extension
    """,
    "settings": """
        SELECT CASE setrole WHEN 0 THEN 'database' ELSE setrole::regrole::text END,
               array_to_string(setconfig, ', ')
        FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
        WHERE d.datname = current_database()
    """,
}


# A list of texts in a condition. Restored from a dump each item is cast separately.
_CAST_AS_ONE = re.compile(r"\(ARRAY\[([^]]*)\]\)::text\[\]")


def read_schema(connection: Connection) -> Schema:
    """Return the definition of every object of the database, by kind and name."""
    with connection.transaction():
        # Prints names without their schema.
        connection.execute("SET LOCAL search_path = public")
        return {
            kind: {name: _as_read_back(text) for name, text in connection.execute(sql).fetchall()}
            for kind, sql in KINDS.items()
        }


def differences(fresh: Schema, upgraded: Schema) -> list[str]:
    """Return one line for each difference, by kind and name; [] if there is none."""
    found = []
    for kind, wanted in fresh.items():
        there = upgraded[kind]
        for name in sorted(wanted.keys() | there.keys()):
            pair = (wanted.get(name), there.get(name))
            if pair[0] == pair[1]:
                continue
            if None in pair:
                which = "fresh" if pair[1] is None else "upgraded"
                found.append(f"{kind}: {name}: only in the {which} database")
            else:
                found.append(f"{kind}: {name}: fresh {pair[0]!r}, upgraded {pair[1]!r}")
    return found


def _as_read_back(definition: str) -> str:
    def cast_each(found: re.Match[str]) -> str:
        return f"ARRAY[{', '.join(f'({item})::text' for item in found[1].split(', '))}]"

    return _CAST_AS_ONE.sub(cast_each, definition)
