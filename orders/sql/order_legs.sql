-- What functions that place orders hand to each other, besides order_types.sql.

DO $types$ BEGIN
    IF to_regtype('public.order_legs') IS NOT NULL THEN
        RETURN;
    END IF;
    -- Transfers that are to be posted (id, kind, who, what about), and their legs: parallel arrays each.
    CREATE TYPE order_legs AS (
        transfers uuid[], kinds text[], actors text[], memos text[],
        leg_transfers uuid[], accounts uuid[], assets text[], amounts numeric[]
    );
    -- What will become of an order: as it will stand (NULL: it is not placed), its fills, makers whose
    -- rest is to be closed, whether a raise is complete with it; and what it moves, added to what was
    -- to be moved before.
    CREATE TYPE order_plan AS (
        o orders_order, fills order_fill[], dust order_fill[], completes boolean, legs order_legs
    );
    IF NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = 'public.order_fill'::regclass AND attname = 'taker')
    THEN
        ALTER TYPE order_fill ADD ATTRIBUTE trade uuid, ADD ATTRIBUTE taker uuid;
        ALTER TYPE order_terms ADD ATTRIBUTE account uuid, ADD ATTRIBUTE available numeric,
            ADD ATTRIBUTE reserve uuid;
    END IF;
END $types$;
