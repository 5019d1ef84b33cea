"""Reasons and notes: maximum lengths and white space."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from credit.loans.models import ClosureAction
from credit.loans.services import closures as loan_closures
from exchange.core.errors import InvalidRequest
from exchange.core.ids import uuid7
from exchange.core.text import clean_text
from exchange.tokens.services import quotes
from orders.listings.models import TokenAction
from orders.listings.services.proposals import propose_token_action
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.tokens import make_token
from tests.factories.wallets import make_staff, make_wallet, store_bank_list
from wallets.deposits.services import manual as deposits
from wallets.fees import services as configuration
from wallets.ledger.models import Transfer, TransferKind
from wallets.payouts.models import ProposalAction
from wallets.payouts.services import resolutions
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

Act = Callable[..., Any]


def acts() -> list[tuple[Act, str, int]]:
    """Return each service with a reason, the name of its parameter, and the maximum length."""
    store_bank_list()
    pending = make_wallet(1000).request(500)
    decided: dict[str, Any] = {
        "withdrawal_id": pending.id,
        "version": pending.version,
        "approver": make_staff(),
    }
    token, person = make_token(), make_staff("propose_quote", "propose_configuration", "end_token")
    payment = deposits.IncomingPayment(pending.organisation_id, None, "KES", Decimal(5), "in-5")
    entered = deposits.enter(payment=payment, user=make_staff())
    prices = quotes.Prices(Decimal(1), Decimal(1))
    return [
        (partial(decisions.approve, **decided), "reason", 500),
        (partial(decisions.reject, **decided), "reason", 500),
        (partial(deposits.reject, deposit_id=entered.id, user=make_staff()), "reason", 500),
        (
            partial(
                resolutions.propose,
                withdrawal_id=pending.id,
                action=ProposalAction.FAIL,
                proposer=make_staff(),
            ),
            "reason",
            500,
        ),
        (partial(quotes.propose, token_id=token.id, prices=prices, user=person), "note", 300),
        (
            partial(
                configuration.propose, key="KES_WITHDRAWAL_FEE", value=Decimal(31), user=person
            ),
            "reason",
            300,
        ),
        (
            partial(
                propose_token_action, token_id=token.id, action=TokenAction.CANCEL, user=person
            ),
            "explanation",
            300,
        ),
        (
            partial(
                loan_closures.propose_closure,
                loan_id=uuid7(),
                action=ClosureAction.WRITE_OFF,
                user=make_staff("close_loan"),
            ),
            "note",
            500,
        ),
    ]


def test_a_reason_that_is_too_long_is_rejected_and_changes_nothing():
    for act, name, longest in acts():
        with assert_no_table_changes(), pytest.raises(InvalidRequest) as error:
            act(**{name: "x" * (longest + 1)})
        assert error.value.message == (
            f"The text must have at most {longest} characters, not {longest + 1}"
        ), act


def test_the_ledger_stores_the_beginning_of_a_long_reason():
    store_bank_list()
    pending = make_wallet(1000).request(500)
    why = "".join(f"{number:04}" for number in range(125))
    decisions.reject(
        withdrawal_id=pending.id, version=pending.version, approver=make_staff(), reason=why
    )
    assert Withdrawal.objects.get(pk=pending.pk).reason == why
    released = Transfer.objects.get(subject_id=pending.pk, kind=TransferKind.WITHDRAWAL_RELEASE)
    assert released.memo == f"rejected: {why[:290]}"


def test_space_around_a_reason_is_removed():
    assert clean_text("  so \n", missing="why?") == "so"
    assert clean_text(" \n") == ""
    assert clean_text(" " * 900 + "x" * 500) == "x" * 500
    with pytest.raises(InvalidRequest, match=r"why\?"):
        clean_text(" \n", missing="why?")
