-- What the functions that place an order hand to each other.

-- `order_request` is `orders.book.commands.PlaceOrder`.

-- What the token asks of an order of one side, read under its lock. `gives` is the asset the
-- order pays with, `gets` the one it wants: the currency and the token's units, or the reverse.
CREATE TYPE order_terms AS (
    id uuid, symbol text, issuer uuid, currency text, gives text, gets text, decimals integer,
    fee numeric,
    lowest numeric, highest numeric, least numeric, most numeric,
    cancelled boolean, exited boolean, closed boolean, secondaries boolean, completed boolean,
    -- Of a primary raise: the offer, what it still needs, what is left, the smallest purchase.
    offer numeric, needed numeric, unsold numeric, smallest numeric,
    visible boolean, member_known boolean,
    -- Of the order's owner: the account it gives from, what is on it, where that is reserved.
    account uuid, available numeric, reserve uuid,
    -- One minor unit of the currency.
    minor numeric
);
-- One fill: what both sides are charged, and the maker's sums after it; the ids of its trade and of
-- the order that took. In a primary raise `maker` is NULL and its owner the issuer.
CREATE TYPE order_fill AS (
    seq bigint, price numeric, units numeric,
    maker uuid, organisation uuid, member uuid, owner uuid,
    taker_value numeric, taker_fee numeric, maker_value numeric, maker_fee numeric,
    filled numeric, filled_value numeric, charged numeric, charged_fee numeric, fulfilled boolean,
    trade uuid, taker uuid
);
-- What matching comes to: the fills, makers whose rest is worth nothing, why the incoming order
-- does not rest, and whether a raise is complete with it.
CREATE TYPE order_match AS (
    fills order_fill[], dust order_fill[], stopped text, completes boolean
);
-- Transfers to post, each about the record that has its id, and their legs: parallel arrays each, as
-- `post_transfers` takes them.
CREATE TYPE order_legs AS (
    transfers uuid[], kinds text[], actors text[], memos text[],
    leg_transfers uuid[], accounts uuid[], amounts numeric[], refs text[]
);
-- A planned order: as it will stand, its fills, makers whose rest is to be closed, whether a raise is
-- complete with it, and what it moves.
CREATE TYPE order_plan AS (
    o orders_order, fills order_fill[], dust order_fill[], completes boolean, legs order_legs
);
