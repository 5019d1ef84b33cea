-- How trading rounds: always against the trader, never against the exchange. Both functions take a value
-- that is not negative and give a multiple of `p_minor`, the smallest amount of the currency. `%` is exact
-- where a quotient could be rounded already.
CREATE FUNCTION round_up(p_value numeric, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_value - p_value % p_minor + sign(p_value % p_minor) * p_minor;

CREATE FUNCTION round_down(p_value numeric, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_value - p_value % p_minor;

-- What an order whose fills come to `p_value`, not rounded, has paid or received without its fee.
CREATE FUNCTION order_value(p_type text, p_value numeric, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE p_type WHEN 'Buy' THEN public.round_up(p_value, p_minor)
                   ELSE public.round_down(p_value, p_minor) END;

-- What it has paid with its fee (Buy), or received after its fee (Sell).
CREATE FUNCTION order_total(
    p_type text, p_value numeric, p_fee_percent numeric, p_minor numeric
) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE p_type
    WHEN 'Buy' THEN public.round_up(p_value + p_value * p_fee_percent * 0.01, p_minor)
    ELSE public.round_down(p_value - p_value * p_fee_percent * 0.01, p_minor) END;

-- What a Buy reserves for its rest: the most that all of it can cost, less what it has paid.
CREATE FUNCTION reserve_of_buy(o orders_order, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE
RETURN public.order_total(
    'Buy', o.filled_value + o.price * (o.tokens - o.filled), o.fee_percent, p_minor)
    - o.charged - o.charged_fee;
