-- The two calls of loan creation: reading the input of the rules, and writing the loan. The rules are in
-- `credit/loans/services/assessing.py`, shared with quotes.

-- The input of the lending rules, as JSON. `p_lock` locks borrower and creditor, tokens in id order, then
-- the configuration, until the transaction ends. Tokens invisible to the organisation are left out.
CREATE FUNCTION loan_facts(
    p_organisation uuid, p_member uuid, p_configuration uuid, p_currency text, p_tokens uuid[],
    p_lock boolean
) RETURNS text LANGUAGE plpgsql
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tokens text;
    v_offer text;
BEGIN
    IF p_lock THEN
        PERFORM lock_owners(ARRAY[p_member, (
            SELECT creditor_id FROM credit_loanconfiguration WHERE id = p_configuration)]);
        PERFORM 1 FROM exchange_token WHERE id = ANY (p_tokens) ORDER BY id FOR NO KEY UPDATE;
        PERFORM 1 FROM credit_loanconfiguration WHERE id = p_configuration FOR NO KEY UPDATE;
    END IF;
    SELECT json_agg(json_build_object(
            'id', t.id, 'name', t.name, 'symbol', t.symbol, 'currency_id', t.currency_id,
            'investment_category', t.investment_category, 'price_sell', t.price_sell,
            'quoted_at', t.quoted_at, 'deductions', ARRAY(
                SELECT d.amount_per_unit FROM credit_pricededuction d
                WHERE d.token_id = t.id AND d.record_at > t.quoted_at),
            'exited', t.exited, 'cancelled', t.cancelled,
            'completed_raise', t.completed_raise,
            'record_wait', record_wait(t.next_record_at, t.units_held, clock_timestamp()),
            'available', coalesce(a.balance, 0)))::text
        INTO v_tokens
        FROM exchange_token t
        LEFT JOIN wallets_account a
            ON a.owner_id = p_member AND a.asset_id = t.id::text AND a.kind = 'available'
        WHERE t.id = ANY (p_tokens)
            AND (t.deal_access = 'Public' OR token_visible(t, p_organisation));
    SELECT json_build_object(
            'creditor_id', c.creditor_id, 'status', c.status, 'access', v.access,
            'named', EXISTS (
                SELECT FROM credit_configurationversion_organisations o
                WHERE o.configurationversion_id = v.id AND o.organisation_id = p_organisation),
            'version', CASE WHEN v.id IS NOT NULL THEN json_build_object(
                'id', v.id, 'investment_categories', v.investment_categories,
                'collateral_ratio', v.collateral_ratio, 'interest_rate', v.interest_rate,
                'duration', v.duration, 'grace_period', v.grace_period,
                'grace_period_unit', v.grace_period_unit) END,
            'min_amount', l.min_amount, 'max_amount', l.max_amount,
            'max_outstanding', l.max_outstanding,
            'outstanding', coalesce(o.principal, 0), 'balance', coalesce(a.balance, 0),
            'block', owner_block(c.creditor_id, NULL, p_currency))::text
        INTO v_offer
        FROM credit_loanconfiguration c
        LEFT JOIN credit_configurationversion v
            ON v.configuration_id = c.id AND v.status = 'Approved'
        LEFT JOIN credit_loanlimit l ON l.version_id = v.id AND l.currency_id = p_currency
        LEFT JOIN credit_outstanding o
            ON o.configuration_id = c.id AND o.currency_id = p_currency
        LEFT JOIN wallets_account a
            ON a.owner_id = c.creditor_id AND a.asset_id = p_currency AND a.kind = 'available'
        WHERE c.id = p_configuration;
    RETURN format('{"member":%s,"closed":%s,"block":%s,"offer":%s,"tokens":%s}',
        EXISTS (SELECT FROM exchange_member
                WHERE id = p_member AND organisation_id = p_organisation)::text,
        coalesce(member_refusal(p_organisation, p_member) = 'member_closed', false)::text,
        coalesce(to_json(owner_block(p_organisation, p_member, p_currency))::text, 'null'),
        coalesce(v_offer, 'null'), coalesce(v_tokens, '[]'));
END $$;

-- Writes a loan assessed under the locks of `loan_facts`: liens and disbursement, record, collateral,
-- events. Returns its document for the borrower's organisation, or NULL with nothing moved if money or units were spent meanwhile:
-- accounts are locked only here, and their CHECK constraint decides.
--
-- `p_loan` is the record by column. `p_ids` are new ids for the transfer and two events.
CREATE FUNCTION make_loan(
    p_loan jsonb, p_tokens uuid[], p_quantities numeric[], p_prices numeric[], p_ids uuid[]
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET enable_seqscan = off SET enable_mergejoin = off
SET enable_hashjoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    l credit_loan := jsonb_populate_record(NULL::credit_loan, p_loan);
    v_books uuid;
    v_accounts uuid[];
    v_amounts numeric[];
    v_constraint text;
    v_covered boolean;
    v_own text;
BEGIN
    SELECT id INTO v_books FROM wallets_account
        WHERE asset_id = l.currency_id AND kind = 'loans' AND owner_id IS NULL;
    IF v_books IS NULL THEN
        v_books := open_account(new_id(), l.currency_id, 'loans', NULL, NULL);
    END IF;
    SELECT array_agg(coalesce(a.id, open_account(
               new_id(), leg.asset, leg.kind, leg.organisation, leg.member))),
           array_agg(leg.amount)
        INTO v_accounts, v_amounts
        FROM (
            VALUES
                (l.currency_id, 'available', l.creditor_id, NULL::uuid, -l.amount),
                (l.currency_id, 'available', l.organisation_id, l.borrower_id, l.amount),
                (l.currency_id, 'principal', l.creditor_id, NULL, l.amount)
            UNION ALL
            SELECT u.token::text, k.kind, l.organisation_id, l.borrower_id, k.sign * u.quantity
            FROM unnest(p_tokens, p_quantities) u (token, quantity)
            CROSS JOIN (VALUES ('available', -1), ('lien', 1)) k (kind, sign)
        ) leg (asset, kind, organisation, member, amount)
        LEFT JOIN wallets_account a
            ON a.owner_id = coalesce(leg.member, leg.organisation) AND a.asset_id = leg.asset
                AND a.kind = leg.kind;
    v_accounts := v_accounts || v_books;
    v_amounts := v_amounts || -l.amount;
    BEGIN
        PERFORM post_transfers(
            p_ids[1:1], ARRAY['loan_disburse'], ARRAY['loan:' || l.id || ':disburse'], ARRAY[l.id],
            ARRAY[l.requested_by::text], ARRAY[left(l.reason, 300)],
            array_fill(p_ids[1], ARRAY[cardinality(v_accounts)]), v_accounts, v_amounts);
    EXCEPTION WHEN check_violation THEN
        GET STACKED DIAGNOSTICS v_constraint = CONSTRAINT_NAME;
        IF v_constraint = 'account_balance_not_negative' THEN
            RETURN NULL;
        END IF;
        RAISE;
    END;
    INSERT INTO credit_loan
        (id, borrower_id, organisation_id, creditor_id, configuration_id, version_id, currency_id,
         amount, repayment_amount, repayment_date, interest_rate, collateral_ratio, duration,
         grace_period, grace_period_unit, status, interest_repaid, principal_repaid, reason,
         bank_name, bank_code, account_number, requested_by, created_at, updated_at, closed_at,
         collateral_text, client_reference, metadata)
    VALUES
        (l.id, l.borrower_id, l.organisation_id, l.creditor_id, l.configuration_id, l.version_id,
         l.currency_id, l.amount, l.repayment_amount, l.repayment_date, l.interest_rate,
         l.collateral_ratio, l.duration, l.grace_period, l.grace_period_unit, l.status,
         l.interest_repaid, l.principal_repaid, l.reason, l.bank_name, l.bank_code,
         l.account_number, l.requested_by, l.created_at, l.updated_at, l.closed_at,
         l.collateral_text, l.client_reference, l.metadata)
    RETURNING document INTO l.document;
    INSERT INTO credit_collateral (loan_id, token_id, position, quantity, pledged_price)
    SELECT l.id, token, n, quantity, price
    FROM unnest(p_tokens, p_quantities, p_prices) WITH ORDINALITY u (token, quantity, price, n);
    -- For every caller: the collateral covers the principal at current prices, less what its issuer paid.
    SELECT sum(collateral_value(u.token, u.quantity)) * l.collateral_ratio >= l.amount
            AND bool_and(u.price = t.price_sell AND t.currency_id = l.currency_id
                         AND NOT t.exited AND NOT t.cancelled)
        INTO v_covered
        FROM unnest(p_tokens, p_quantities, p_prices) u (token, quantity, price)
        LEFT JOIN exchange_token t ON t.id = u.token;
    IF v_covered IS NOT TRUE THEN
        RAISE EXCEPTION 'the collateral of loan % does not cover it', l.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'loan_covered';
    END IF;
    -- Only the borrower's organisation may see the borrower and its own references.
    v_own := with_references(l.document, l.client_reference, l.metadata);
    PERFORM emit_events(
        p_ids[2:3], ARRAY[l.organisation_id, l.creditor_id],
        ARRAY['loan.created', 'loan.created'], ARRAY[l.id, l.id],
        ARRAY['{"loan":' || v_own || ',"user":'
                  || coalesce(member_json(l.borrower_id, l.organisation_id), 'null')
                  || '}',
              CASE WHEN l.creditor_id <> l.organisation_id
                  THEN '{"loan":' || l.document || ',"user":null}' END]);
    RETURN v_own;
END $$;
REVOKE ALL ON FUNCTION make_loan FROM PUBLIC;
GRANT EXECUTE ON FUNCTION make_loan TO exchange_runtime;
REVOKE INSERT ON credit_loan FROM exchange_runtime;
