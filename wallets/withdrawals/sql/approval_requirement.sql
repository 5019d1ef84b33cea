-- How many people must approve a withdrawal, by what else was asked for and paid within 24 hours.
--
-- It is computed when somebody decides, so a burst of requests and requests made after an earlier
-- approval count alike. Whatever was not given back counts: Pending, Approved, Processing, Unknown
-- and Completed requests in the same currency, itself included.
--
-- Two requests that are not decided count for each other: two decisions at once, neither of which sees
-- the other one, ask for no less than one after the other would.

-- `owner_total` and `organisation_total` (with all its members): asked for within 24 hours of this
-- request, before or after it. `account_total`, over all owners for the same bank code and account
-- number: what goes to the account (is Pending or on its way, however long ago it was asked for), what
-- went to it within the last 24 hours, and what was asked for within 24 hours of this request.
-- `needed` is 1 or 2.
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

-- What `p_approver` approved alone within the last 24 hours in the currency of the withdrawal, not
-- counting the withdrawal, and the most that one person may. Approvals of the same person wait for
-- each other here until their transactions end, so that two at once cannot both pass.
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
