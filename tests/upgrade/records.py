"""Rows in every table: a record of every model, and what the pages and the API add to them.

Library tables that the exchange does not use are filled directly, in `_tables_of_libraries`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import (
    AccessToken,
    get_device_grant_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from credit.configurations.models import Access
from credit.loans.models import Loan
from credit.loans.services import servicing
from exchange.comments.services import add_comment
from exchange.core.models import ScheduledRun, WritePosition
from exchange.events.services import deliveries
from exchange.events.services.endpoints import set_endpoint
from exchange.exports import services as exports
from exchange.exports.sources import DateRange
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from exchange.tokens.services import tokens
from exchange.tokens.services.quotes import Prices
from tests.factories.api_clients import TESTER, ApiCaller, make_caller
from tests.factories.every_record import PASSWORD, make_every_record
from tests.factories.loan_configurations import make_configuration
from tests.factories.logins import enter_password
from tests.factories.quotes import set_effective_quote
from tests.factories.traders import Trader
from tests.factories.wallets import BANK, Wallet, make_wallet
from wallets.reconciliation.services import reports


@dataclass(frozen=True)
class Credentials:
    """The credentials of a dump. They are valid nowhere else."""

    client_id: str
    client_secret: str
    username: str
    password: str
    totp_secret: str
    member_id: str
    token_id: str

    def to_json(self) -> str:
        """Return the credentials as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Credentials:
        """Read the credentials from JSON."""
        return cls(**json.loads(text))


def make_rows_in_every_table() -> Credentials:
    """Make at least one row in every table; the credentials are those of a loan's borrower."""
    made = make_every_record()
    loan, token = made.records[Loan], made.records[Token]
    staff: StaffUser = made.records[StaffUser]
    caller = make_caller(organisation=loan.organisation)
    _calls(caller, Wallet(loan.organisation, loan.borrower), loan)
    # Open until the upgraded service trades it.
    Trader(make_wallet(100_000, currency="NGN")).place(token, "Buy", 9_000, 1)
    tokens.grant_access(token_id=token.pk, organisation_id=loan.organisation_id)
    _lower_price(loan, token)
    make_configuration(
        approved=False, access=Access.ORGANISATIONS, organisation_ids=[loan.organisation_id]
    )
    enter_password(Client(), staff.username, "not the password")
    enter_password(Client(), staff.username, PASSWORD)
    add_comment(subject=staff, text="Calls on Mondays only", user=staff)
    _write_export(StaffUser.objects.get(username="owner"))
    reports.run_next_report()
    ScheduledRun.objects.create(task="exchange.tasks.example", published_at=timezone.now())
    WritePosition.objects.create(writer=loan.organisation_id, position=1)
    _tables_of_libraries(caller, staff)
    return Credentials(
        client_id=caller.key.client_id,
        client_secret=caller.secret,
        username=staff.username,
        password=PASSWORD,
        totp_secret=made.secrets["TOTP secret"],
        member_id=str(loan.borrower_id),
        token_id=str(token.pk),
    )


def _calls(caller: ApiCaller, borrower: Wallet, loan: Loan) -> None:
    """Withdraw with an idempotency key, repay, and send an event that nothing receives."""
    borrower.fund(20_000)
    body = {
        "amount": 500,
        "bank_name": BANK,
        "account_name": "Ada Obi",
        "account_number": "0690000051",
        "currency": "KES",
    }
    url = f"https://127.0.0.1:9/{caller.key.client_id}"
    set_endpoint(organisation_id=caller.organisation.pk, url=url, actor=TESTER)
    for path, sent in (
        (f"/v1/api/members/{borrower.member_id}/wallet/withdraw", body),
        (f"/v1/api/credit/loan/{loan.pk}/repay", {"amount": 1000}),
        ("/v1/api/webhook/test", {}),
    ):
        response = caller.post(path, sent, Idempotency_Key=str(uuid4()))
        assert response.status_code in (200, 201), response.content
    deliveries.deliver_due()


def _lower_price(loan: Loan, token: Token) -> None:
    """Lower the price of the collateral below what the loan requires."""
    low = Prices(loan.amount / 1_000_000, loan.amount / 1_000_000)
    set_effective_quote(token_id=token.pk, prices=low, note="Revaluation")
    servicing.revalue_loan(loan.pk)


def _write_export(user: StaffUser) -> None:
    """Write a file of a list, as a worker does for a long one."""
    most, exports.DIRECT_ROWS = exports.DIRECT_ROWS, 0
    exports.start_export(
        source="wallets.withdrawal", query="", span=DateRange(), form="csv", user=user
    )
    exports.DIRECT_ROWS = most
    assert exports.write_next_export()


def _tables_of_libraries(caller: ApiCaller, user: StaffUser) -> None:
    """Insert a row in each library table that the exchange leaves empty."""
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(StaffUser),
        object_id=str(user.pk),
        object_repr=str(user),
        action_flag=CHANGE,
    )
    about: dict[str, Any] = {"application": caller.key, "user": user, "expires": timezone.now()}
    get_grant_model().objects.create(
        **about, code="unused", redirect_uri="https://localhost/", scope=""
    )
    get_refresh_token_model().objects.create(
        application=caller.key,
        user=user,
        token="unused",
        access_token=AccessToken.objects.first(),
    )
    get_id_token_model().objects.create(**about)
    get_device_grant_model().objects.create(
        client_id=caller.key.client_id,
        device_code="unused",
        user_code="unused",
        scope="",
        expires=timezone.now(),
    )
