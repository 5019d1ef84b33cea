-- Number of approvals a withdrawal requires, from the totals requested and paid within 24 hours.
--
-- Computed at the decision, so bursts and later requests count alike. Counted are Pending, Approved,
-- Processing, Unknown and Completed requests in the same currency, including the request itself.
-- Undecided requests count for each other, so concurrent decisions require no less than sequential ones.

-- `owner_total` and `organisation_total` (with all its members): requested within 24 hours before or
-- after this request. `account_total`, over all owners for the same bank code and account number:
-- open requests of any age, those paid within the last 24 hours, and those requested within 24 hours
-- of this request. `needed` is 1 or 2.
CREATE FUNCTION approval_requirement(
    p_withdrawal uuid,
    OUT needed integer, OUT owner_total numeric, OUT account_total numeric,
    OUT organisation_total numeric, OUT second_above numeric, OUT second_daily_above numeric
) LANGUAGE plpgsql AS $$
DECLARE
    w record;
BEGIN
    SELECT x.owner_id, x.organisation_id, x.currency_id, x.amount,
           x.created_at - interval '24 hours' AS since, x.created_at + interval '24 hours' AS until,
           b.code, b.account_number
        INTO STRICT w
        FROM public.wallets_withdrawal x
        JOIN public.wallets_bankaccount b ON b.id = x.bank_id
        WHERE x.id = p_withdrawal;
    second_above := public.effective_setting('SECOND_APPROVAL_ABOVE_' || w.currency_id);
    second_daily_above :=
        public.effective_setting('SECOND_APPROVAL_DAILY_ABOVE_' || w.currency_id);

    SELECT w.amount + coalesce(sum(x.amount) FILTER (WHERE x.owner_id = w.owner_id), 0),
           w.amount + coalesce(sum(x.amount), 0)
        INTO owner_total, organisation_total
        FROM public.wallets_withdrawal x
        WHERE x.organisation_id = w.organisation_id
            AND x.created_at > w.since AND x.created_at < w.until
            AND x.currency_id = w.currency_id AND x.id <> p_withdrawal
            AND x.status IN ('Pending', 'Approved', 'Processing', 'Unknown', 'Completed');
    SELECT w.amount + coalesce(sum(x.amount), 0) INTO account_total
        FROM public.wallets_bankaccount b
        JOIN public.wallets_withdrawal x ON x.bank_id = b.id
        LEFT JOIN public.wallets_payout p ON p.withdrawal_id = x.id
        WHERE b.account_number = w.account_number AND b.code = w.code
            AND x.currency_id = w.currency_id AND x.id <> p_withdrawal
            AND (x.status IN ('Pending', 'Approved', 'Processing', 'Unknown')
                 OR x.status = 'Completed'
                    AND (x.created_at > w.since AND x.created_at < w.until
                         OR p.settled_at > clock_timestamp() - interval '24 hours'));
    needed := CASE WHEN greatest(owner_total, account_total) >= second_above
                        OR organisation_total >= second_daily_above
                   THEN 2 ELSE 1 END;
END $$;

-- Sole approvals of `p_approver` within the last 24 hours in the currency of the withdrawal, excluding
-- it, and their limit. The lock serializes approvals of the same person until their transactions end.
CREATE FUNCTION sole_approvals(
    p_approver uuid, p_withdrawal uuid, OUT total numeric, OUT most numeric
) LANGUAGE plpgsql AS $$
DECLARE
    v_currency text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('sole approvals ' || p_approver, 0));
    SELECT currency_id INTO STRICT v_currency
        FROM public.wallets_withdrawal WHERE id = p_withdrawal;
    most := public.effective_setting('SOLE_APPROVALS_DAILY_' || v_currency);
    SELECT coalesce(sum(amount), 0) INTO total
        FROM public.wallets_withdrawal
        WHERE first_approver_id = p_approver AND second_approver_id IS NULL
            AND actioned_on > clock_timestamp() - interval '24 hours'
            AND currency_id = v_currency AND id <> p_withdrawal
            AND status NOT IN ('Pending', 'Rejected', 'Cancelled');
END $$;
