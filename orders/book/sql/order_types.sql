-- Types that the functions of order placement pass to each other.

-- `order_request` is `orders.book.commands.PlaceOrder`.

-- The token's terms for an order of one side, read under its lock. `gives` is the asset the order
-- pays with, `gets` the one it receives: the currency and the token's units, or the reverse.
CREATE TYPE order_terms AS (
    id uuid, symbol text, issuer uuid, currency text, gives text, gets text, decimals integer,
    fee numeric,
    lowest numeric, highest numeric, least numeric, most numeric,
    cancelled boolean, exited boolean, closed boolean, halted boolean, secondaries boolean, completed boolean,
    -- Of a primary raise: offer price, money still needed, units left, minimum purchase.
    offer numeric, needed numeric, unsold numeric, smallest numeric,
    -- When the next distribution records the holders, and whether units are to be taken back first.
    next_record timestamptz, units_held boolean,
    visible boolean,
    -- Why the member cannot trade (member_refusal), or NULL.
    member_refusal text,
    -- Why the owner's money may not move, or NULL (owner_block).
    block text,
    -- Of the owner: the paying account, its balance, and the account of its reservations.
    account uuid, available numeric, reserve uuid,
    -- One minor unit of the currency.
    minor numeric,
    -- Of an amendment: its id, and what the order had reserved before it.
    change uuid, released numeric
);
-- One fill: the charges of both sides, the maker's totals after it, and the ids of its trade and of
-- the taker order. In a primary raise `maker` is NULL and the issuer owns that side.
CREATE TYPE order_fill AS (
    seq bigint, price numeric, units numeric,
    maker uuid, organisation uuid, member uuid, owner uuid,
    taker_value numeric, taker_fee numeric, maker_value numeric, maker_fee numeric,
    filled numeric, filled_value numeric, charged numeric, charged_fee numeric, fulfilled boolean,
    trade uuid, taker uuid,
    -- Of a maker that is not filled but closed: whether because it has expired.
    expired boolean
);
-- The accounts that an order moves: those that it pays from and receives on, its reservation, those of the
-- maker of each fill, and all that it or what follows from it changes.
CREATE TYPE order_accounts AS (
    gives uuid, gets uuid, reserve uuid, makers_give uuid[], makers_get uuid[], every uuid[]
);
-- Result of matching: the fills, makers to be closed, why the incoming order does not rest, whether it completes
-- a raise, and whether it met any order that it would take.
CREATE TYPE order_match AS (
    fills order_fill[], closing order_fill[], stopped text, completes boolean, met boolean
);
-- Transfers to post and their legs, as the parallel arrays of `post_transfers`. A transfer's id is
-- that of its record; of an amendment, `subjects` are the records.
CREATE TYPE order_legs AS (
    transfers uuid[], kinds text[], actors text[], memos text[],
    leg_transfers uuid[], accounts uuid[], amounts numeric[], refs text[], subjects uuid[]
);
-- A planned order: its final state, fills, makers to be closed, whether it completes a raise, its ledger legs, and
-- what it needs in the wallet. Of a preview also the rules that refuse it, each with its detail.
CREATE TYPE order_plan AS (
    o orders_order, fills order_fill[], closing order_fill[], completes boolean, legs order_legs,
    needs numeric, rules text[], details text[]
);
SELECT make_constructor(t)
    FROM unnest('{order_terms,order_accounts,order_legs,order_plan,orders_order}'::regtype[]) t;
