"""Verification of members that their organisation requires for deposits or withdrawals."""

from typing import Any

import pytest

from exchange.participants.services.members import change_member
from tests.assertions.unchanged import assert_nothing_changes
from tests.contract.test_member_closing import ClosingApi
from tests.factories.api_clients import TESTER, assert_error
from tests.factories.deposits import arrive, transaction_record
from tests.factories.wallets import (
    BANK,
    PAID_ACCOUNT,
    Wallet,
    assert_books_hold,
    balance_of,
    store_bank_list,
)
from wallets.deposits.models import VirtualAccount

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def api() -> ClosingApi:
    return ClosingApi()


def test_deposits_can_require_a_verified_member(api, provider_sandbox):
    organisation = api.caller.organisation
    organisation.email, organisation.redirect_origins = "a@example.com", ["https://example.com"]
    organisation.verification_required_for_deposits = True
    organisation.save()
    account = {"currency": "NGN", "bvn": "12345678901"}
    checkout = {"amount": 10, "currency": "NGN", "redirect_url": "https://example.com/paid"}
    required = "This member must be verified first"
    with assert_nothing_changes():
        for path, body in (("virtual-accounts", account), ("deposits/checkout", checkout)):
            response = api.caller.post(f"{api.path}/{path}", body)
            assert_error(response, 409, "verification_required", required)
    # The organisation's own wallet has no member.
    own = api.caller.post("/v1/api/wallet/virtual-accounts", account)
    assert own.status_code == 201, own.content
    change_member(member_id=api.member.id, verification="verified", actor=TESTER)
    for path, body in (("virtual-accounts", account), ("deposits/checkout", checkout)):
        response = api.caller.post(f"{api.path}/{path}", body)
        assert response.status_code == 201, response.content
    # What is paid into an open account is credited, whatever the member is now.
    change_member(member_id=api.member.id, verification="unverified", actor=TESTER)
    arrive(transaction_record(VirtualAccount.objects.get(member=api.member).reference))
    assert balance_of(api.member.id, "NGN") == 1000


def test_withdrawals_can_require_a_verified_member(api):
    """After the balance, before the rules about the amount; also once the bank list is cached."""
    store_bank_list()
    organisation = api.caller.organisation
    organisation.verification_required_for_withdrawals = True
    organisation.save()
    api.wallet.fund(5000)
    Wallet(organisation).fund(5000)
    body = {
        "amount": 1500, "bank_name": BANK, "account_name": "Ada Obi",
        "account_number": PAID_ACCOUNT, "currency": "KES",
    }  # fmt: skip

    def withdraw(path: str = f"{api.path}/wallet", **changes: Any) -> Any:
        return api.caller.post(f"{path}/withdraw", {**body, **changes})

    assert withdraw("/v1/api/wallet").status_code == 201
    with assert_nothing_changes():
        for _ in range(2):
            for amount in (1500, 2):
                assert_error(
                    withdraw(amount=amount),
                    409,
                    "verification_required",
                    "This member must be verified first",
                )
            assert_error(withdraw(amount=5001), 400, "insufficient_balance")
    # Money may still move within the organisation.
    assert api.transfer(500, "KES").status_code == 201
    change_member(member_id=api.member.id, verification="verified", actor=TESTER)
    assert withdraw().status_code == 201
    assert_books_hold()
