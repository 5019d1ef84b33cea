-- What an order would do if it were placed now: `plan_order`, written nowhere. The caller rolls back, since it locks
-- the token and may open accounts.
CREATE FUNCTION preview_order(p_request jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    q order_request := jsonb_populate_record(NULL::order_request, p_request);
    p order_plan;
BEGIN
    p := plan_order(q, NULL);
    RETURN jsonb_build_object(
        'rules', coalesce(to_jsonb(p.rules), '[]'), 'details', coalesce(to_jsonb(p.details), '[]'),
        'price', (p.o).price, 'needs', p.needs, 'filled', coalesce((p.o).filled, 0),
        'filled_value', coalesce((p.o).charged, 0), 'fee', coalesce((p.o).charged_fee, 0),
        'exact_value', (p.o).filled_value,
        'rests', CASE WHEN (p.o).status = 'Active' AND coalesce(cardinality(p.rules), 0) = 0
                      THEN (p.o).tokens - (p.o).filled ELSE 0 END,
        -- The fills are in price priority.
        'worst_price', (p.fills[cardinality(p.fills)]).price);
END $$;
REVOKE ALL ON FUNCTION preview_order FROM PUBLIC;
GRANT EXECUTE ON FUNCTION preview_order TO exchange_runtime;
