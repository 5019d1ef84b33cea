-- Types that functions which place orders hand to each other, besides order_types.sql.

DO $types$ BEGIN
    IF to_regtype('public.order_legs') IS NOT NULL THEN
        RETURN;
    END IF;
    -- Transfers to post, each about the record that has its id, and their legs: parallel arrays each,
    -- as `post_transfers` takes them.
    CREATE TYPE order_legs AS (
        transfers uuid[], kinds text[], actors text[], memos text[],
        leg_transfers uuid[], accounts uuid[], amounts numeric[], refs text[]
    );
    -- A planned order: as it will stand, its fills, makers whose rest is to be closed, whether a raise
    -- is complete with it, and what it moves.
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

DO $changes$ BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = 'public.order_terms'::regclass AND attname = 'minor')
    THEN
        ALTER TYPE order_terms ADD ATTRIBUTE minor numeric;
    END IF;
    IF NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = 'public.order_legs'::regclass AND attname = 'refs')
    THEN
        ALTER TYPE order_legs DROP ATTRIBUTE assets, ADD ATTRIBUTE refs text[];
    END IF;
END $changes$;
