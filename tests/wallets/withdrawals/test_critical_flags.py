"""Review flags of a decision: each approver overrides Critical flags in writing, a flag that was
not displayed blocks the approval, and the decision stores its flags.
"""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from exchange.core.errors import InvalidRequest, Rejected, StateConflict
from exchange.participants.models import Organisation
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.wallets import OVERRIDE, Wallet, make_staff, make_wallet, store_bank_list
from wallets.withdrawals.models import Decision, Payout, Withdrawal
from wallets.withdrawals.selectors.review_flags import FlagLevel, review_flags
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db

SHARED = "Account shared with 1 other organisation."


@pytest.fixture(autouse=True)
def _banks() -> None:
    store_bank_list()


@pytest.fixture
def wallet() -> Wallet:
    """A wallet whose bank account another organisation also uses: flagged Critical."""
    make_wallet(10_000).request(500)
    return make_wallet(10_000_000)


def make_uncritical() -> Withdrawal:
    """Make a request without Critical flags."""
    return make_wallet(1_000).request(500, account="0611111111")


def codes(withdrawal: Withdrawal) -> list[str]:
    now = Withdrawal.objects.get(pk=withdrawal.pk)
    return [flag.code for flag in review_flags([now])[now.pk]]


def _flags(stored: Decision) -> list[dict[str, str]]:
    assert stored.flags is not None
    flags: list[dict[str, str]] = stored.flags
    return flags


def approve(
    withdrawal: Withdrawal, *, approver: StaffUser | None = None, **more: Any
) -> Withdrawal:
    version = Withdrawal.objects.values_list("version", flat=True).get(pk=withdrawal.pk)
    return decisions.approve(
        withdrawal_id=withdrawal.pk, version=version, approver=approver or make_staff(), **more
    )


@pytest.mark.parametrize("override", ["", "   ", "\n\t"])
def test_a_critical_flag_blocks_approval_without_an_override(wallet, override):
    withdrawal = wallet.request(500)
    person = make_staff()
    with assert_no_table_changes(), pytest.raises(Rejected) as error:
        approve(withdrawal, approver=person, override=override)
    assert error.value.code == "critical_flag_not_overridden"
    assert SHARED in error.value.message


def test_an_override_approves_and_is_stored_with_the_flags(wallet):
    withdrawal = wallet.request(500)
    assert approve(withdrawal, override=f" {OVERRIDE} ").status == "Approved"
    stored = Decision.objects.get(withdrawal=withdrawal)
    assert stored.override == OVERRIDE
    assert [flag["code"] for flag in _flags(stored)] == [
        "account_shared_across_organisations", "payee_not_owner", "account_first_use",
    ]  # fmt: skip
    assert _flags(stored)[0] == {
        "code": "account_shared_across_organisations",
        "level": "Critical",
        "text": SHARED,
    }


def test_each_of_two_approvers_writes_an_override(wallet):
    withdrawal = wallet.request(5_000_000)
    assert approve(withdrawal, override="I called their bank").status == "Pending"
    second = make_staff()
    with assert_no_table_changes(), pytest.raises(Rejected) as error:
        approve(withdrawal, approver=second)
    assert error.value.code == "critical_flag_not_overridden"
    assert not Payout.objects.exists()
    assert (
        approve(withdrawal, approver=second, override="I called the branch too").status
        == "Approved"
    )
    stored = Decision.objects.filter(withdrawal=withdrawal).order_by("created_at", "id")
    assert [row.override for row in stored] == ["I called their bank", "I called the branch too"]


def test_letters_that_pass_for_latin_ones_are_a_flag(wallet):
    withdrawal = make_uncritical()
    Organisation.objects.filter(pk=withdrawal.organisation_id).update(name="Аda Capital")  # noqa: RUF001 - Cyrillic
    found = Withdrawal.objects.get(pk=withdrawal.pk)
    [flag] = [each for each in review_flags([found])[found.pk] if each.code == "lookalike_letters"]
    assert str(flag) == (
        "Review: Letters of another script look like Latin ones: Аda Capital (А)."  # noqa: RUF001
    )


def test_a_flag_raised_after_the_page_was_displayed_rejects_the_approval(wallet):
    withdrawal = make_uncritical()
    shown = codes(withdrawal)
    assert shown == ["payee_not_owner", "account_first_use"]
    Organisation.objects.filter(pk=withdrawal.organisation_id).update(active=False)
    person = make_staff()
    with assert_no_table_changes(), pytest.raises(StateConflict) as error:
        approve(withdrawal, approver=person, override=OVERRIDE, seen_flags=shown)
    assert error.value.message == (
        "New flags since you opened the page: Critical: The organisation is not active."
        " Review them and try again"
    )
    done = approve(withdrawal, override=OVERRIDE, seen_flags=codes(withdrawal))
    assert done.status == "Approved"


def test_a_page_without_flags_cannot_approve_a_flagged_withdrawal():
    withdrawal, person = make_uncritical(), make_staff()
    with (
        assert_no_table_changes(),
        pytest.raises(StateConflict, match="First withdrawal of this owner to this account"),
    ):
        approve(withdrawal, approver=person, seen_flags=[])


def test_a_cleared_flag_allows_approval_and_the_override_is_stored():
    withdrawal = make_uncritical()
    Organisation.objects.filter(pk=withdrawal.organisation_id).update(active=False)
    shown = codes(withdrawal)
    Organisation.objects.filter(pk=withdrawal.organisation_id).update(active=True)
    approve(withdrawal, override=OVERRIDE, seen_flags=shown)
    stored = Decision.objects.get(withdrawal=withdrawal)
    assert stored.override == OVERRIDE
    assert {flag["level"] for flag in _flags(stored)} == {"Review"}


def test_a_rejection_needs_no_override_and_stores_the_flags(wallet):
    withdrawal = wallet.request(500)
    decisions.reject(
        withdrawal_id=withdrawal.pk, version=1, approver=make_staff(), reason="Not theirs"
    )
    stored = Decision.objects.get(withdrawal=withdrawal)
    assert (stored.override, _flags(stored)[0]["text"]) == ("", SHARED)


def test_an_override_is_at_most_as_long_as_its_column(wallet):
    withdrawal = wallet.request(500)
    before = Decision.objects.count()
    with pytest.raises(InvalidRequest, match="at most 500 characters, not 501"):
        approve(withdrawal, override="x" * 501)
    assert Decision.objects.count() == before


@pytest.mark.parametrize(("override", "taken"), [("", False), (" ", False), ("Known", True)])
def test_the_database_requires_a_written_override_of_critical_flags(wallet, override, taken):
    withdrawal = wallet.request(500)

    def insert() -> None:
        with transaction.atomic():
            Decision.objects.create(
                withdrawal=withdrawal,
                verdict="Approve",
                actor="staff:x",
                actor_label="x",
                flags=[{"code": "c", "level": "Review", "text": "t"},
                       {"code": "d", "level": "Critical", "text": "t"}],
                override=override,
                version=1,
                created_at=timezone.now(),
            )  # fmt: skip

    if taken:
        insert()
        return
    with pytest.raises(IntegrityError, match="decision_critical_flag_overridden"):
        insert()


@pytest.mark.parametrize(
    ("owner", "payee", "flagged"),
    [
        ("Ada Obi", "Ada Obi", False),
        ("Ada Obi", "OBI ADA", False),
        ("Ada Obi", "Ada Ngozi Obi", False),
        ("Ada Ngozi Obi", "Ada Obi", False),
        ("Ada N. Obi", "Ada Ngozi Obi", False),
        ("Acme Capital Ltd", "ACME CAPITAL LIMITED", False),
        ("Acme Capital", "Acme Capital Ltd", False),
        ("Ada Obi", "Bo Obi", True),
        ("Ada Obi", "Musa Sani", True),
        ("Acme Capital", "Grain Traders Ltd", True),
    ],
)
@pytest.mark.parametrize("of_member", [False, True])
def test_the_payee_is_compared_with_the_owner(owner, payee, flagged, of_member):
    wallet = make_wallet(1_000)
    withdrawal = Withdrawal.objects.select_related("organisation", "bank").get(
        pk=wallet.request(500).pk
    )
    withdrawal.bank.account_name = payee
    if of_member:
        withdrawal.organisation.name = "A house"
        withdrawal.member = withdrawal.organisation.members.model(name=owner)
    else:
        withdrawal.organisation.name = owner
    found = [one for one in review_flags([withdrawal])[withdrawal.pk] if "owner" in one.code]
    assert [one.level for one in found] == ([FlagLevel.REVIEW] if flagged else [])
    if flagged:
        assert found[0].text.startswith(
            f"Payee is not the wallet owner. Owner: {owner}; payee: {payee}; match: "
        )


def test_flags_take_the_same_number_of_queries_for_any_number_of_rows(wallet):
    first = wallet.request(500)

    def queries(rows: list[Withdrawal]) -> int:
        with CaptureQueriesContext(connection) as captured:
            review_flags(rows)
        return len(captured)

    def chosen() -> list[Withdrawal]:
        return list(Withdrawal.objects.select_related("organisation", "member", "bank"))

    few = queries([row for row in chosen() if row.pk == first.pk])
    for _ in range(20):
        wallet.request(500)
    assert queries(chosen()) == few
