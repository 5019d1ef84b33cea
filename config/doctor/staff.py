"""Checks of the people: enough of them for dual control, each with a second factor."""

from collections.abc import Iterator

from django.conf import settings

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER, SUPPORT
from config.doctor.findings import Diagnosis, ok, problem, warning
from config.doctor.machine import is_production
from exchange.core.database import fetch_all

_PEOPLE = """
SELECT u.username, coalesce(g.name, ''), u.is_superuser,
    u.access_changed_at <= now() - make_interval(hours => %s),
    EXISTS (SELECT FROM exchange_secondfactor f WHERE f.user_id = u.id) AS app,
    EXISTS (SELECT FROM exchange_passkey k WHERE k.user_id = u.id) AS passkey
FROM exchange_staffuser u
LEFT JOIN exchange_staffuser_groups m ON m.staffuser_id = u.id
LEFT JOIN auth_group g ON g.id = m.group_id
WHERE u.is_active AND u.is_staff
ORDER BY u.username
"""
_NEEDED = {FINANCE_APPROVER: 2, ADMINISTRATOR: 1}


def check_people(alias: str) -> Iterator[Diagnosis]:
    """Report missing roles and second factors, passkeys without an origin, and superusers."""
    people = fetch_all(_PEOPLE, [settings.COOLING_OFF_HOURS], using=alias)
    for role, needed in _NEEDED.items():
        having = [row for row in people if row[1] == role]
        effective = sum(row[3] for row in having)
        seen = f"{len(having)} active, {effective} past the cooling-off period"
        if len(having) < needed:
            report = problem if is_production() else warning
            yield report(
                role, f"{seen}; {needed} needed",
                f'Invite one in the back office, or manage.py create_staff --role "{role}" NAME',
            )  # fmt: skip
        elif effective < needed:
            yield warning(
                role, f"{seen}; {needed} needed to approve",
                f"Wait: new access is effective after {settings.COOLING_OFF_HOURS} hours",
            )  # fmt: skip
        else:
            yield ok(role, seen)
    without = [
        name
        for name, role, _, _, app, passkey in people
        if role not in {AUDITOR, SUPPORT} and not app and not passkey
    ]
    if without:
        yield warning(
            "second factor", f"not set up by {', '.join(without[:5])}",
            "They set it up at their next sign-in; deactivate those who left",
        )  # fmt: skip
    elif people:
        yield ok("second factor", "set up by everyone who needs it")
    keyholders = [row[0] for row in people if row[5]]
    if settings.PASSKEY_ORIGIN:
        yield ok("passkeys", f"of {len(keyholders)} people, at {settings.PASSKEY_ORIGIN}")
    elif keyholders:
        yield problem(
            "passkeys",
            f"PASSKEY_ORIGIN is not set, but there are passkeys of {', '.join(keyholders[:5])}",
            "Set it to the origin at which they were added",
        )  # fmt: skip
    if superusers := [row[0] for row in people if row[2]]:
        yield problem(
            "superusers", f"{', '.join(superusers[:5])} bypass the roles",
            "Deactivate them, and give the people a role",
        )  # fmt: skip
