"""Reads of bank records."""

from django.db.models.expressions import RawSQL

_MAX_BANKS = 20
# The shortest names come first: for "access" Access Bank comes before Access Bank Corporate.
_RECORDS_AT_BANKS = """
SELECT record.id
FROM (
    SELECT bank->>'name' AS name
    FROM wallets_banklist, jsonb_array_elements(banks) AS bank
    WHERE strpos(
        regexp_replace(upper(fold_text(' ' || (bank->>'name'))), '[^[:alnum:]]+', ' ', 'g'),
        nullif(rtrim(regexp_replace(upper(fold_text(' ' || %s)), '[^[:alnum:]]+', ' ', 'g')), '')
    ) > 0
    GROUP BY 1 ORDER BY length(bank->>'name'), 1 LIMIT %s
) AS found
CROSS JOIN LATERAL (
    SELECT id FROM wallets_bankaccount WHERE name = found.name ORDER BY id DESC LIMIT %s
) AS record
"""


def records_at_banks(text: str, limit: int) -> RawSQL:
    """Return the ids of the newest `limit` bank records of each bank that `text` names.

    It names the banks of the provider's lists with these words, of which the last may be
    incomplete; up to 20 of them. `text` has a letter.
    """
    return RawSQL(_RECORDS_AT_BANKS, [text, _MAX_BANKS, limit])  # noqa: S611 - values are bound
