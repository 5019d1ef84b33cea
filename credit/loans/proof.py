"""Checks of loans for the proof of books."""

from credit.loans import payloads
from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import Check, balance_check, document_check, sql_check

_OPEN = "('ACTIVE', 'OVERDUE', 'DEFAULTED')"

_LOANS = {"credit_loan": about_recent("credit_loan")}

CREDIT_CHECKS: tuple[Check, ...] = (
    balance_check(
        "lien equals open collateral",
        "lien",
        f"""
        SELECT l.borrower_id AS owner_id, x.token_id::text AS asset_id,
               sum(units_in_lien(x, l)) AS amount
        FROM credit_collateral x JOIN credit_loan l ON l.id = x.loan_id
        WHERE l.status IN {_OPEN} OR x.claimed > 0 GROUP BY l.borrower_id, x.token_id
        UNION ALL
        SELECT borrower_id, currency_id, sum(cash_collateral)
        FROM credit_loan WHERE status IN {_OPEN} GROUP BY borrower_id, currency_id
        """,  # noqa: S608 - a constant
        recent={},
    ),
    # Per loan: the total alone would not notice collateral booked to another loan.
    sql_check(
        "liens of every loan equal its open collateral",
        """
        SELECT coalesce(c.loan_id, m.loan_id) || ' ' || coalesce(c.asset, m.asset_id),
               coalesce(c.pledged, 0), coalesce(m.liened, 0)
        FROM (SELECT x.loan_id, x.token_id::text AS asset, units_in_lien(x, l) AS pledged
              FROM credit_collateral x JOIN credit_loan l ON l.id = x.loan_id) c
        FULL JOIN (
            SELECT coalesce(i.loan_id, t.subject_id) AS loan_id, e.asset_id, sum(e.amount) AS liened
            FROM wallets_account a
            JOIN wallets_entry e ON e.account_id = a.id
            JOIN wallets_transfer t ON t.id = e.transfer_id
            LEFT JOIN credit_income i ON t.kind = 'distribution_pay' AND i.id = t.subject_id
            WHERE a.kind = 'lien' AND e.asset_id IN (SELECT id::text FROM exchange_token)
            GROUP BY coalesce(i.loan_id, t.subject_id), e.asset_id
        ) m ON m.loan_id = c.loan_id AND m.asset_id = c.asset
        WHERE coalesce(c.pledged, 0) <> coalesce(m.liened, 0)
        """,
    ),
    sql_check(
        "every loan document shows its collateral",
        """
        SELECT l.id, coalesce(c.pledged, 'nothing'), coalesce(s.shown, 'nothing')
        FROM credit_loan l
        CROSS JOIN LATERAL (
            SELECT string_agg(token_id || ' ' || trim_scale(quantity), ', ' ORDER BY position)
                AS pledged
            FROM credit_collateral WHERE loan_id = l.id AND quantity > 0
        ) c
        CROSS JOIN LATERAL (
            SELECT string_agg(m.found[1] || ' ' || m.found[2], ', ' ORDER BY m.place) AS shown
            FROM regexp_matches(l.collateral_text,
                                '"token_id":"([^"]*)","quantity":([0-9.]+)', 'g')
                WITH ORDINALITY AS m (found, place)
        ) s
        WHERE c.pledged IS DISTINCT FROM s.shown
        """,
        recent=_LOANS,
    ),
    balance_check(
        "principal accounts equal the outstanding principal of open loans",
        "principal",
        f"""
        SELECT creditor_id AS owner_id, currency_id AS asset_id,
               sum(amount - principal_repaid) AS amount
        FROM credit_loan WHERE status IN {_OPEN} GROUP BY creditor_id, currency_id
        """,  # noqa: S608 - a constant
        recent={},
    ),
    balance_check(
        "interest income equals the interest repaid",
        "interest",
        """
        SELECT creditor_id AS owner_id, currency_id AS asset_id, sum(interest_repaid) AS amount
        FROM credit_loan GROUP BY creditor_id, currency_id
        """,
    ),
    sql_check(
        "repaid amounts of every loan equal its repayments",
        """
        SELECT l.id, coalesce(r.interest, 0) || ' and ' || coalesce(r.principal, 0),
               l.interest_repaid || ' and ' || l.principal_repaid
        FROM credit_loan l
        LEFT JOIN (SELECT loan_id, sum(interest) AS interest, sum(principal) AS principal
                   FROM credit_repayment GROUP BY loan_id) r ON r.loan_id = l.id
        WHERE (coalesce(r.interest, 0), coalesce(r.principal, 0))
            IS DISTINCT FROM (l.interest_repaid, l.principal_repaid)
        """,
        recent={
            **_LOANS,
            "credit_repayment": about_recent("credit_repayment", "loan_id"),
        },
    ),
    sql_check(
        "every loan has the transfers of its status",
        """
        SELECT l.id, x.wanted, x.found
        FROM credit_loan l CROSS JOIN LATERAL (
            SELECT CASE l.status
                    WHEN 'LIQUIDATED' THEN 'loan_disburse, loan_liquidate'
                    WHEN 'WRITTEN_OFF' THEN 'loan_disburse, loan_write_off'
                    ELSE 'loan_disburse' END
                -- Of units that the first one left in lien.
                || repeat(', loan_liquidate', (
                    SELECT count(*)::integer FROM credit_closureproposal p
                    WHERE p.loan_id = l.id AND p.status = 'Approved'
                        AND p.created_at > l.closed_at))
                || ', ' || (SELECT count(*) FROM credit_repayment r WHERE r.loan_id = l.id)
                || ' repayments' AS wanted,
                coalesce((SELECT string_agg(t.kind, ', ' ORDER BY t.kind)
                          FROM wallets_transfer t WHERE t.subject_id = l.id AND t.kind IN
                              ('loan_disburse', 'loan_liquidate', 'loan_write_off')), 'none')
                || ', ' || (SELECT count(*) FROM wallets_transfer t
                            WHERE t.subject_id = l.id AND t.kind = 'loan_repay')
                || ' repayments' AS found
        ) x
        WHERE x.wanted <> x.found
        """,
        recent=_LOANS,
    ),
    sql_check(
        "every loan status has its events to both parties",
        """
        SELECT l.id, k.type || ' to ' || p.organisation, 'no such event'
        FROM credit_loan l
        CROSS JOIN LATERAL (VALUES
            ('loan.created', true),
            ('loan.repaid', l.status = 'COMPLETED'),
            ('loan.overdue', l.status IN ('OVERDUE', 'DEFAULTED', 'LIQUIDATED', 'WRITTEN_OFF')),
            ('loan.defaulted', l.status IN ('DEFAULTED', 'LIQUIDATED', 'WRITTEN_OFF')),
            ('loan.liquidated', l.status = 'LIQUIDATED')
        ) k (type, due)
        CROSS JOIN LATERAL (VALUES (l.organisation_id), (l.creditor_id)) p (organisation)
        WHERE k.due AND l.id >= (SELECT events_complete_since()) AND NOT EXISTS (
            SELECT FROM exchange_event e WHERE e.subject_id = l.id AND e.type = k.type
                AND e.organisation_id = p.organisation)
        """,
        recent=_LOANS,
    ),
    sql_check(
        "outstanding principal of every configuration equals its open loans",
        f"""
        SELECT coalesce(o.configuration_id, l.configuration_id) || ' '
                   || coalesce(o.currency_id, l.currency_id),
               coalesce(l.owed, 0), coalesce(o.principal, 0)
        FROM credit_outstanding o
        FULL JOIN (
            SELECT configuration_id, currency_id, sum(amount - principal_repaid) AS owed
            FROM credit_loan WHERE status IN {_OPEN} GROUP BY configuration_id, currency_id
        ) l ON l.configuration_id = o.configuration_id AND l.currency_id = o.currency_id
        WHERE coalesce(l.owed, 0) <> coalesce(o.principal, 0)
        """,  # noqa: S608 - a constant
        recent={},
    ),
    sql_check(
        "every closed loan has its confirmed proposal",
        """
        SELECT l.id, x.wanted, coalesce(x.found, 'no confirmed proposal')
        FROM credit_loan l
        CROSS JOIN LATERAL (
            SELECT CASE l.status WHEN 'LIQUIDATED' THEN 'liquidate' ELSE 'write_off' END
                || ' by two for ' || trim_scale(l.repayment_amount - l.interest_repaid
                                                - l.principal_repaid) AS wanted,
                (SELECT p.action
                    || CASE WHEN p.decided_by_id <> p.proposed_by_id THEN ' by two' ELSE '' END
                    || ' for ' || trim_scale(p.final_value + p.final_deficiency)
                 FROM credit_closureproposal p
                 WHERE p.loan_id = l.id AND p.status = 'Approved'
                     AND p.created_at <= l.closed_at) AS found
        ) x
        WHERE l.status IN ('LIQUIDATED', 'WRITTEN_OFF') AND x.wanted IS DISTINCT FROM x.found
        """,
        recent=_LOANS,
    ),
    sql_check(
        "units and cash transferred to a creditor equal the confirmed plan",
        """
        SELECT coalesce(p.loan_id, m.loan_id) || ' ' || coalesce(p.asset, m.asset),
               coalesce(p.passed, 0), coalesce(m.passed, 0)
        FROM (
            SELECT e.loan_id, s ->> 'token_id' AS asset, (s ->> 'passed')::numeric AS passed
            FROM credit_closureproposal e CROSS JOIN jsonb_array_elements(e.final_plan) s
            WHERE e.status = 'Approved' AND (s ->> 'passed')::numeric <> 0
            UNION ALL
            SELECT e.loan_id, l.currency_id, e.final_cash
            FROM credit_closureproposal e JOIN credit_loan l ON l.id = e.loan_id
            WHERE e.final_cash <> 0
        ) p
        FULL JOIN (
            SELECT t.subject_id AS loan_id, e.asset_id AS asset, sum(e.amount) AS passed
            FROM wallets_transfer t
            JOIN wallets_entry e ON e.transfer_id = t.id
            JOIN wallets_account a ON a.id = e.account_id
            JOIN credit_loan l ON l.id = t.subject_id
            WHERE t.kind IN ('loan_liquidate', 'loan_write_off')
                AND a.kind = 'available' AND a.owner_id = l.creditor_id
            GROUP BY t.subject_id, e.asset_id
        ) m ON m.loan_id = p.loan_id AND m.asset = p.asset
        WHERE coalesce(p.passed, 0) <> coalesce(m.passed, 0)
        """,
        recent={
            **_LOANS,
            "credit_closureproposal": about_recent("credit_closureproposal", "loan_id"),
            "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS,
        },
    ),
    document_check("documents of loans equal their records", payloads.LOAN, recent=_LOANS),
)
