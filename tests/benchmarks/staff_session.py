"""Signs a new finance approver in and prints the session's key.

Run as a program under the benchmark's settings.
"""

from __future__ import annotations

import django

django.setup()

from django.test import Client  # noqa: E402 - Django must be set up before its models are

from config.back_office.roles import FINANCE_APPROVER, create_staff  # noqa: E402
from tests.factories.logins import sign_in  # noqa: E402

client = Client(SERVER_NAME="127.0.0.1")
sign_in(client, create_staff("bench.lists", "correct horse battery", FINANCE_APPROVER))
print(client.session.session_key)
