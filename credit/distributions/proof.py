"""Checks of distributions for the proof of books."""

from wallets.ledger.checkpoint import TRANSFERS_OF_RECENT_SUBJECTS, about_recent
from wallets.ledger.proof import Check, sql_check

# What moved on the account of distributions, by distribution and currency.
_MOVED = """
    SELECT coalesce(i.distribution_id, t.subject_id) AS id, e.asset_id AS currency,
           coalesce(sum(e.amount) FILTER (WHERE t.kind = 'distribution_fund'), 0) AS funded,
           coalesce(sum(e.amount) FILTER (WHERE t.kind = 'distribution_pay'), 0) AS paid,
           sum(e.amount) AS held
    FROM wallets_account a
    JOIN wallets_entry e ON e.account_id = a.id
    JOIN wallets_transfer t ON t.id = e.transfer_id
    LEFT JOIN credit_income i ON t.kind = 'distribution_pay' AND i.id = t.subject_id
    WHERE a.kind = 'payable'
    GROUP BY coalesce(i.distribution_id, t.subject_id), e.asset_id
"""
DISTRIBUTION_CHECKS: tuple[Check, ...] = (
    sql_check(
        "every recorded distribution has the sums of its holders' income",
        """
        SELECT d.id, concat_ws(', ', i.holders, trim_scale(i.units), trim_scale(i.gross),
                               trim_scale(i.tax), trim_scale(i.net)),
               concat_ws(', ', d.holders, trim_scale(d.units), trim_scale(d.gross),
                         trim_scale(d.tax), trim_scale(d.net))
        FROM credit_distribution d
        CROSS JOIN LATERAL (
            SELECT count(DISTINCT x.owner_id) AS holders, coalesce(sum(x.units), 0) AS units,
                   coalesce(sum(x.gross), 0) AS gross, coalesce(sum(x.tax), 0) AS tax,
                   coalesce(sum(x.net), 0) AS net
            FROM credit_income x WHERE x.distribution_id = d.id) i
        WHERE (coalesce(d.holders, 0), coalesce(d.units, 0), coalesce(d.gross, 0),
               coalesce(d.tax, 0), coalesce(d.net, 0))
            <> (i.holders, i.units, i.gross, i.tax, i.net)
        """,
    ),
    sql_check(
        "every distribution was funded once, and holds what is still to be paid",
        f"""
        SELECT coalesce(d.id::text, m.id::text, 'no distribution'),
               coalesce(d.wanted, 'nothing'), coalesce(m.found, 'nothing')
        FROM (
            SELECT x.id, x.currency_id,
                   'funded ' || trim_scale(x.gross) || ', holds ' || trim_scale(
                       (SELECT coalesce(sum(i.gross), 0) FROM credit_income i
                        WHERE i.distribution_id = x.id AND i.status = 'Due')) AS wanted
            FROM credit_distribution x
            WHERE x.status IN ('Funded', 'Paying', 'Paid') AND x.gross > 0
        ) d
        FULL JOIN (
            SELECT m.id, m.currency,
                   'funded ' || trim_scale(m.funded) || ', holds ' || trim_scale(m.held) AS found
            FROM ({_MOVED}) m LEFT JOIN credit_distribution c ON c.id = m.id
            WHERE c.status IS DISTINCT FROM 'Cancelled' OR m.held <> 0
        ) m ON m.id = d.id AND m.currency = d.currency_id
        WHERE d.wanted IS DISTINCT FROM m.found
        """,  # noqa: S608 - a constant
    ),
    # Each income has one transfer, named after it; one of another kind or amount differs.
    sql_check(
        "every income that is paid moved its amount once to its owner, and nothing else did",
        """
        SELECT coalesce(i.id::text, m.reference), coalesce(i.wanted, 'nothing'),
               coalesce(m.found, 'nothing')
        FROM (
            SELECT x.id, trim_scale(x.net - x.to_creditor) || ' to ' || x.owner_id || ', tax '
                || trim_scale(x.tax) || CASE
                    WHEN x.to_creditor > 0 THEN ', claim ' || trim_scale(x.to_creditor)
                    WHEN x.paid_to = 'loan' AND x.net > 0 THEN ' for a loan' ELSE '' END AS wanted
            FROM credit_income x WHERE x.status IN ('Paid', 'Corrected') AND x.gross > 0
        ) i
        FULL JOIN (
            SELECT t.subject_id, min(t.reference) AS reference,
                   trim_scale(coalesce(sum(e.amount) FILTER (WHERE a.kind <> 'tax'
                           AND a.owner_id IS DISTINCT FROM l.creditor_id), 0)) || ' to '
                       || coalesce(string_agg(DISTINCT a.owner_id::text, ', ') FILTER (
                           WHERE a.owner_id IS DISTINCT FROM l.creditor_id), x.owner_id::text)
                       || ', tax '
                       || trim_scale(coalesce(sum(e.amount) FILTER (WHERE a.kind = 'tax'), 0))
                       || CASE WHEN bool_or(a.kind = 'lien') THEN ' for a loan' ELSE '' END
                       || coalesce(', claim ' || trim_scale(sum(e.amount) FILTER (
                           WHERE a.owner_id = l.creditor_id)), '') AS found
            FROM wallets_transfer t
            JOIN wallets_entry e ON e.transfer_id = t.id
            JOIN wallets_account a ON a.id = e.account_id
            LEFT JOIN credit_income x ON x.id = t.subject_id
            LEFT JOIN credit_loan l ON l.id = x.loan_id AND l.creditor_id <> x.owner_id
            WHERE t.kind = 'distribution_pay' AND a.kind <> 'payable'
                AND e.asset_id IN (SELECT code FROM exchange_currency)
            GROUP BY t.subject_id, x.owner_id
        ) m ON m.subject_id = i.id
        WHERE i.wanted IS DISTINCT FROM m.found
        """,
        recent={
            "credit_income": about_recent("credit_income"),
            "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS,
        },
    ),
    sql_check(
        "every income that is taxed has the tax of its rate",
        """
        SELECT i.id, trim_scale(x.tax), trim_scale(i.tax)
        FROM credit_income i
        JOIN credit_distribution d ON d.id = i.distribution_id
        JOIN exchange_currency c ON c.code = d.currency_id
        CROSS JOIN LATERAL (
            SELECT income_tax(d.type, i.gross, returned_principal(d, i.units, c.decimals),
                              i.tax_rate, c.decimals) AS tax) x
        WHERE d.corrects_id IS NULL AND i.tax <> x.tax
        """,
        recent={"credit_income": about_recent("credit_income")},
    ),
    sql_check(
        "every correction leaves its holders with the income and tax of its terms",
        """
        SELECT c.id, 'nothing more', concat_ws(', ', x.holders, x.gross, x.tax)
        FROM credit_distribution c
        CROSS JOIN LATERAL (
            SELECT count(*) AS holders, sum(i.gross) AS gross, sum(i.tax) AS tax
            FROM corrected_income(c.corrects_id, c.amount_per_unit, c.principal_per_unit, c.rate,
                                  c.days) i
            WHERE i.gross <> 0 OR i.tax <> 0) x
        WHERE c.status NOT IN ('Draft', 'Cancelled') AND x.holders > 0
            AND NOT EXISTS (SELECT FROM credit_distribution n
                            WHERE n.corrects_id = c.corrects_id AND n.id > c.id
                                AND n.status NOT IN ('Draft', 'Cancelled'))
        """,
    ),
    sql_check(
        "every recovery took from its owner and of tax what its income says, and nothing else did",
        """
        SELECT coalesce(i.id, m.subject_id), coalesce(i.wanted, 'nothing'),
               coalesce(m.found, 'nothing')
        FROM (SELECT x.id, trim_scale(x.recovered) || ' of ' || x.owner_id || ', tax '
                     || trim_scale(CASE x.status WHEN 'Due' THEN 0 ELSE - x.tax END) AS wanted
              FROM credit_income x WHERE x.recovered > 0 OR x.gross < 0 AND x.status <> 'Due') i
        FULL JOIN (
            SELECT t.subject_id, trim_scale(coalesce(- sum(e.amount) FILTER (
                       WHERE a.kind = 'available' AND e.amount < 0), 0)) || ' of '
                   || coalesce(string_agg(DISTINCT a.owner_id::text, ', ') FILTER (
                       WHERE e.amount < 0), '') || ', tax '
                   || trim_scale(coalesce(- sum(e.amount) FILTER (WHERE a.kind = 'tax'), 0))
                   AS found
            FROM wallets_transfer t
            JOIN wallets_entry e ON e.transfer_id = t.id
            JOIN wallets_account a ON a.id = e.account_id
            WHERE t.kind = 'distribution_recover'
            GROUP BY t.subject_id
        ) m ON m.subject_id = i.id
        WHERE i.wanted IS DISTINCT FROM m.found
        """,
        recent={
            "credit_income": about_recent("credit_income"),
            "wallets_transfer": TRANSFERS_OF_RECENT_SUBJECTS,
        },
    ),
    sql_check(
        "tax accounts hold what was withheld of paid income and not yet remitted",
        """
        SELECT c.id, coalesce(w.total, 0) - coalesce(m.total, 0), coalesce(e.total, 0)
        FROM wallets_asset c
        LEFT JOIN (SELECT d.currency_id, sum(i.tax) AS total
                   FROM credit_income i JOIN credit_distribution d ON d.id = i.distribution_id
                   WHERE i.status IN ('Paid', 'Corrected')
                   GROUP BY d.currency_id) w ON w.currency_id = c.id
        LEFT JOIN (SELECT x.currency_id, sum(x.amount) AS total FROM wallets_treasurymovement x
                   WHERE x.kind = 'tax_remittance' AND x.status = 'Approved'
                   GROUP BY x.currency_id) m ON m.currency_id = c.id
        LEFT JOIN (SELECT x.asset_id, sum(x.amount) AS total
                   FROM wallets_entry x JOIN wallets_account a ON a.id = x.account_id
                   WHERE a.kind = 'tax' GROUP BY x.asset_id) e ON e.asset_id = c.id
        WHERE coalesce(w.total, 0) - coalesce(m.total, 0) <> coalesce(e.total, 0)
        """,
    ),
    sql_check(
        "the cash collateral of every loan is what its units paid, less what left it",
        """
        SELECT l.id, coalesce(m.left_over, 0), l.cash_collateral
        FROM credit_loan l
        LEFT JOIN (
            SELECT coalesce(i.loan_id, t.subject_id) AS loan_id, sum(e.amount) AS left_over
            FROM wallets_account a
            JOIN wallets_entry e ON e.account_id = a.id
            JOIN wallets_transfer t ON t.id = e.transfer_id
            LEFT JOIN credit_income i ON t.kind = 'distribution_pay' AND i.id = t.subject_id
            WHERE a.kind = 'lien' AND a.asset_id IN (SELECT code FROM exchange_currency)
            GROUP BY coalesce(i.loan_id, t.subject_id)
        ) m ON m.loan_id = l.id
        WHERE coalesce(m.left_over, 0) <> l.cash_collateral
        """,
    ),
    sql_check(
        "the claim of every liquidated loan is what its liquidations and proceeds left of it",
        "SELECT l.id, claim_of(l), l.claim FROM credit_loan l"
        " WHERE l.status = 'LIQUIDATED' AND l.claim <> claim_of(l)",
    ),
    sql_check(
        "every open loan counts the cash that is still to come",
        """
        SELECT l.id, coalesce(c.funded, 0) || ' and ' || coalesce(c.expected, 0),
               l.cash_funded || ' and ' || l.cash_expected
        FROM credit_loan l
        LEFT JOIN (
            SELECT i.loan_id, sum(i.net) FILTER (WHERE d.status <> 'Recorded') AS funded,
                   sum(i.net) FILTER (WHERE d.status = 'Recorded' AND NOT d.overdue
                                      AND d.corrects_id IS NULL) AS expected
            FROM credit_income i JOIN credit_distribution d ON d.id = i.distribution_id
            WHERE i.status = 'Due' AND i.gross >= 0 AND d.to_collateral AND d.status <> 'Cancelled'
            GROUP BY i.loan_id
        ) c ON c.loan_id = l.id
        WHERE (coalesce(c.funded, 0), coalesce(c.expected, 0)) <> (l.cash_funded, l.cash_expected)
        """,
        recent={},
    ),
    sql_check(
        "units issued are the supply, less what final distributions have taken back",
        """
        SELECT t.id, t.total_supply - coalesce(r.units, 0), s.issued
        FROM exchange_token t
        JOIN (SELECT e.asset_id, - sum(e.amount) AS issued
              FROM wallets_account a JOIN wallets_entry e ON e.account_id = a.id
              WHERE a.kind = 'issuance' GROUP BY e.asset_id) s ON s.asset_id = t.id::text
        LEFT JOIN (SELECT d.token_id, sum(i.units) AS units
                   FROM credit_income i JOIN credit_distribution d ON d.id = i.distribution_id
                   WHERE d.final AND i.status IN ('Paid', 'Corrected')
                   GROUP BY d.token_id) r ON r.token_id = t.id
        WHERE NOT t.cancelled AND s.issued <> t.total_supply - coalesce(r.units, 0)
        """,
    ),
    sql_check(
        "every token waits for its next announced record, or for the payment of its units",
        """
        SELECT t.id, coalesce(wire_time(d.next), 'none'),
               coalesce(wire_time(t.next_record_at), 'none')
        FROM exchange_token t
        LEFT JOIN (SELECT token_id, min(record_at) AS next FROM credit_distribution
                   WHERE status = 'Announced'
                       OR final AND status IN ('Recorded', 'Funded', 'Paying')
                   GROUP BY token_id) d ON d.token_id = t.id
        WHERE d.next IS DISTINCT FROM t.next_record_at
        """,
        recent={},
    ),
)
