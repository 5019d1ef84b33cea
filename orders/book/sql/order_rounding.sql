-- Rounding of trading: always against the trader, never against the exchange. Both functions take a
-- non-negative value and return a multiple of `p_minor`, the smallest amount of the currency. `%` is exact,
-- whereas a quotient could already be rounded.
CREATE FUNCTION round_up(p_value numeric, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_value - p_value % p_minor + sign(p_value % p_minor) * p_minor;

CREATE FUNCTION round_down(p_value numeric, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_value - p_value % p_minor;

-- Value paid or received, without fee, by an order whose fills total `p_value` unrounded.
CREATE FUNCTION order_value(p_type text, p_value numeric, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE p_type WHEN 'Buy' THEN public.round_up(p_value, p_minor)
                   ELSE public.round_down(p_value, p_minor) END;

-- Total paid including the fee (Buy), or received after the fee (Sell).
CREATE FUNCTION order_total(
    p_type text, p_value numeric, p_fee_percent numeric, p_minor numeric
) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE p_type
    WHEN 'Buy' THEN public.round_up(p_value + p_value * p_fee_percent * 0.01, p_minor)
    ELSE public.round_down(p_value - p_value * p_fee_percent * 0.01, p_minor) END;

-- Reservation for the remainder of a Buy: its maximum total cost less the total already paid.
CREATE FUNCTION reserve_of_buy(o orders_order, p_minor numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE
RETURN public.order_total(
    'Buy', o.filled_value + o.price * (o.tokens - o.filled), o.fee_percent, p_minor)
    - o.charged - o.charged_fee;
