"""A destination account: its owners, names and payouts, and a name that changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from config.back_office.roles import AUDITOR
from exchange.core.errors import Forbidden
from exchange.participants.models import Member, Organisation
from tests.environment.owner import without_guards
from tests.factories.back_office import (
    current_flag_codes,
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    page,
    signed_in_client,
    text_of,
    user_of,
)
from tests.factories.wallets import make_staff
from wallets.banks.models import AccountVerification
from wallets.banks.verifications import verify_account
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]


@pytest.fixture
def owners() -> Any:
    organisation, member = make_participants()
    fund(organisation, member, "KES", "90000")
    fund(organisation, member, "NGN", "90000")
    return organisation, member


def rewrite(withdrawal: Withdrawal, name: str = "", **columns: Any) -> None:
    """Change the bank's name of the account, and columns of the withdrawal."""
    with without_guards() as cursor:
        if name:
            cursor.execute(
                "UPDATE wallets_bankaccount SET account_name = %s, name_resolved = true"
                " WHERE id = %s",
                [name, withdrawal.bank_id],
            )
        for column, value in columns.items():
            cursor.execute(
                f"UPDATE wallets_withdrawal SET {column} = %s WHERE id = %s",
                [value, withdrawal.pk],
            )


def tables(withdrawal: Withdrawal, role: str = AUDITOR) -> dict[str, list[list[str]]]:
    """Return the tables of the account's page without their times."""
    response = signed_in_client(role, f"{role}-{withdrawal.pk}").get(page(withdrawal.bank))
    return {
        section.title: [
            [str(cell) for cell in row if "<time" not in str(cell)] for row in section.rows
        ]
        for section in response.context["sections"]
        if not isinstance(section, dict)
    }


def test_the_page_of_a_bank_record_shows_all_uses_of_its_account(owners):
    organisation, member = owners
    rival = Organisation.objects.create(name="Rival")
    fund(rival, None, "KES", "5000")
    first = make_withdrawal(organisation, member, "KES", "1000")
    rewrite(first, status="Completed")
    second = make_withdrawal(organisation, member, "KES", "2000", account_name="Ada O.")
    rewrite(second, name="Ada Obi", status="Failed")
    other = make_withdrawal(rival, None, "KES", "500")
    make_withdrawal(organisation, member, "KES", "700", account_number="0690000099")

    found = tables(first)
    assert found["Owners"] == [
        ["Ada", str(organisation), "2", "1", "1"],
        ["The organisation", "Rival", "1", "0", "0"],
    ]
    assert found["Names"] == [
        ["Ada O.", "Ada Obi", "1"],
        ["Ada Obi", "Not provided by the bank", "2"],
    ]
    assert {row[1] for row in found["Withdrawals to this account"]} == {
        "470.00 KES",
        "1,970.00 KES",
        "970.00 KES",
    }
    shown = text_of(signed_in_client(AUDITOR).get(page(other.bank)))
    assert "Paid 1 Failed or returned 1" in shown
    review = signed_in_client(AUDITOR, "second").get(page(first)).content.decode()
    assert f'href="{page(first.bank)}">History of this account</a>' in review


def test_owners_of_the_same_name_are_two(owners):
    organisation, member = owners
    namesake = Member.objects.create(organisation=organisation, name=member.name)
    fund(organisation, namesake, "KES", "5000")
    first = make_withdrawal(organisation, member, "KES", "1000")
    make_withdrawal(organisation, namesake, "KES", "1000")
    one = [member.name, str(organisation), "1", "0", "0"]
    assert tables(first)["Owners"] == [one, one]


def test_a_name_that_the_bank_changed_is_flagged_for_any_owner(owners):
    organisation, member = owners
    earlier = make_withdrawal(organisation, member, "KES", "1000")
    later = make_withdrawal(organisation, member, "KES", "1100")
    rewrite(earlier, created_at=earlier.created_at - timedelta(hours=1))
    assert "account_name_changed" not in current_flag_codes(later)
    rewrite(earlier, name="Ada Obi")
    rewrite(later, name="ADA  OBI")
    assert "account_name_changed" not in current_flag_codes(later)
    rewrite(later, name="Chidi Eze")
    assert "account_name_changed" in current_flag_codes(later)
    assert "account_name_changed" not in current_flag_codes(earlier)
    shown = text_of(signed_in_client(AUDITOR).get(page(later)))
    assert "The bank now calls this account Chidi Eze; before it was Ada Obi." in shown


def test_the_page_takes_the_same_number_of_queries_for_many(owners):
    organisation, member = owners
    one = make_withdrawal(organisation, member, "KES", "1000")
    auditor = signed_in_client(AUDITOR)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            auditor.get(page(one.bank))
        return len(captured)

    queries()
    few = queries()
    for number in range(22):
        make_withdrawal(organisation, member, "KES", str(1001 + number))
    assert queries() == few
    assert "The latest 20." in text_of(auditor.get(page(one.bank)))


def test_who_verified_an_account_stands_where_its_payouts_are_decided(owners, maker, checker):
    organisation, member = owners
    first = make_withdrawal(organisation, member, "KES", "1000")
    second = make_withdrawal(organisation, member, "KES", "2000")
    assert "Verified No" in text_of(checker.get(page(second)))
    assert "Not verified by staff." in text_of(checker.get(page(second.bank)))
    flags = current_flag_codes(second)
    before = AccountVerification.objects.count()
    for how in ("", "yes", "x" * 301):
        assert maker.post(page(first.bank, "verify"), {"how": how}).status_code == 200
    assert AccountVerification.objects.count() == before == 0
    how = "Called 0700 000001, the number in the contract"
    done = maker.post(page(first.bank, "verify"), {"how": how})
    assert messages_of(done) == ["Verification recorded."]
    verified = AccountVerification.objects.get()
    assert (verified.verified_by, verified.account_name) == (
        user_of(maker),
        first.bank.account_name,
    )
    # The other withdrawal to the account shows it, and needs what it needed before.
    shown = text_of(checker.get(page(second)))
    assert f"Verified As {first.bank.account_name} by {user_of(maker)} on" in shown
    assert how in shown
    assert current_flag_codes(second) == flags
    assert tables(second)["Verifications"] == [[first.bank.account_name, str(user_of(maker)), how]]


def test_a_verification_is_of_one_account_and_the_newest_is_shown(owners, maker, checker):
    organisation, member = owners
    kept = make_withdrawal(organisation, member, "KES", "1000")
    other = make_withdrawal(organisation, member, "KES", "1000", account_number="0690000032")
    elsewhere = make_withdrawal(organisation, member, "NGN", "1000")
    maker.post(page(kept.bank, "verify"), {"how": "Compared with the bank's own letter"})
    checker.post(page(kept.bank, "verify"), {"how": "Called the payee on a known number"})
    assert f"by {user_of(checker)} on" in text_of(checker.get(page(kept)))
    for withdrawal in (other, elsewhere):
        assert "Verified No" in text_of(checker.get(page(withdrawal)))


def test_a_verification_is_recorded_by_those_who_may_and_never_changed(owners, auditor):
    organisation, member = owners
    withdrawal = make_withdrawal(organisation, member, "KES", "1000")
    assert "Record verification" not in text_of(auditor.get(page(withdrawal.bank)))
    assert auditor.post(page(withdrawal.bank, "verify"), {"how": "Called them"}).status_code == 403
    how = "Called the payee on a known number"
    with pytest.raises(Forbidden):
        verify_account(record=withdrawal.bank, how=how, user=make_staff())
    made = verify_account(
        record=withdrawal.bank, how=how, user=make_staff("add_accountverification")
    )
    for statement in (
        AccountVerification.objects.filter(pk=made.pk).delete,
        lambda: AccountVerification.objects.filter(pk=made.pk).update(how="Other"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            statement()
