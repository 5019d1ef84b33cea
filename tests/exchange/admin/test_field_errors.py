"""Forms mark the field with the error and link to it."""

import re
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, BACK_OFFICE
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import signed_in_client, submit_confirmation, text_of
from tests.factories.tokens import make_token
from tests.factories.wallets import OVERRIDE, Wallet, make_member_wallet, store_bank_list
from wallets.deposits.models import Deposit

pytestmark = pytest.mark.django_db


class Elements(HTMLParser):
    """The elements of a page by id, and its links."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.by_id: dict[str, dict[str, str | None]] = {}
        self.links: set[str] = set()
        self.focused: list[str | None] = []
        self.feed(response.content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.by_id[str(found["id"])] = found
        if tag == "a":
            self.links.add(str(found.get("href")))
        if "autofocus" in found:
            self.focused.append(found.get("id"))


def assert_marked(response: Any, field: str, words: str, *, anchor: bool = True) -> None:
    """`field` (by its id) is the one that is wrong: marked, described by `words`, in focus."""
    assert response.status_code == 200
    page = Elements(response)
    element = page.by_id[field]
    assert element.get("aria-invalid") == "true"
    described = str(element.get("aria-describedby")).split()
    assert f"{field}_error" in described
    assert all(found in page.by_id for found in described), described
    error = re.search(
        rf'id="{field}_error"[^>]*>(.*?)</(ul|p|span)>', response.content.decode(), re.S
    )
    assert error is not None
    assert words in re.sub("<[^>]+>", "", error.group(1)).replace("&#x27;", "'")
    assert page.focused == [field]
    if anchor:
        assert f"#{field}" in page.links
    others = [one for one, found in page.by_id.items() if found.get("aria-invalid") == "true"]
    assert others == [field]


@pytest.fixture
def wallet() -> Wallet:
    store_bank_list()
    return make_member_wallet(5000)


def deposit_of(wallet: Wallet, **changes: str) -> dict[str, str]:
    return {
        "member": str(wallet.member_id),
        "currency": "KES",
        "amount": "750",
        "reference": "wire 7",
        "note": "",
        **changes,
    }


def test_form_errors_are_marked(wallet, office):
    response = office.post(reverse("admin:wallets_deposit_add"), deposit_of(wallet, reference=""))
    assert_marked(response, "id_reference", "This field is required.")
    assert "Correct the fields marked below." in text_of(response)


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"amount": "-5"}, "id_amount", "Enter a number such as 12,500.50"),
        ({"amount": "1.005"}, "id_amount", "At most 2 decimals"),
        ({"reference": "taken"}, "id_reference", "The manual deposit taken of"),
    ],
)
def test_service_errors_are_marked_at_their_field(wallet, changes, field, words, office):
    address = reverse("admin:wallets_deposit_add")
    assert office.post(address, deposit_of(wallet, reference="taken")).status_code == 302
    with assert_no_table_changes():
        response = office.post(address, deposit_of(wallet, **changes))
        assert_marked(response, field, words)
    assert Deposit.objects.filter(status="Pending").count() == 1


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"buy": "110", "sell": "110.01"}, "id_sell", "Sell cannot exceed buy"),
        ({"buy": "110.005", "sell": "110"}, "id_buy", "At most 2 decimals"),
        ({"buy": "1180", "sell": "100"}, "id_note", "This is beyond what is usual: enter a reason"),
    ],
)
@pytest.mark.one_in(3)
def test_the_price_that_is_wrong_or_the_reason_that_is_missing_is_marked(
    typed, field, words, office
):
    address = reverse("admin:exchange_token_quote", args=[make_token().pk])
    asked = submit_confirmation(office, address, **typed)
    with assert_no_table_changes():
        response = submit_confirmation(office, address, at=asked, **typed)
        assert_marked(response, field, words, anchor=False)


def test_the_term_that_is_wrong_is_marked(office):
    token = make_token()
    address = reverse("admin:exchange_token_edit", args=[token.pk])
    form = office.get(address).context["form"]
    typed = {name: form[name].value() for name in form.fields}
    typed |= {"min_buy": "12", "max_buy": "11"}
    with assert_no_table_changes():
        response = office.post(address, {k: v for k, v in typed.items() if v not in (None, False)})
        assert_marked(response, "id_min_buy", "Must not be above highest price, buy")


def test_errors_without_a_field_appear_above_the_form(wallet, office):
    data = deposit_of(wallet) | {"member": "", "organisation": ""}
    response = office.post(reverse("admin:wallets_deposit_add"), data)
    assert "Choose an organisation or a member" in text_of(response)
    assert "Correct the fields marked" not in text_of(response)
    assert 'aria-invalid="true"' not in response.content.decode()


def test_members_keys_and_reports_mark_theirs(wallet):
    office, owner = signed_in_client(BACK_OFFICE), signed_in_client(ADMINISTRATOR)
    assert wallet.member is not None
    response = office.post(
        reverse("admin:exchange_member_add"),
        {
            "organisation": str(wallet.organisation.pk),
            "name": "Somebody",
            "email": wallet.member.email,
        },
    )
    assert_marked(response, "id_email", "A member with this email exists already")
    key = {
        "organisation": str(wallet.organisation.pk),
        "name": "Reports",
        "scopes": ["tokens:read"],
    }
    address = reverse("admin:exchange_apikey_add")
    assert owner.post(address, key).status_code == 200
    response = owner.post(address, key)
    assert_marked(response, "id_name", "already has an API key with this name")
    tomorrow = timezone.now().date() + timedelta(days=1)
    response = office.post(reverse("admin:wallets_reconciliation_add"), {"day": str(tomorrow)})
    assert_marked(response, "id_day", "Choose a day that is not in the future")


def test_a_confirmation_that_needs_a_reason_marks_it(wallet, finance, office):
    office.post(reverse("admin:wallets_deposit_add"), deposit_of(wallet))
    deposit = Deposit.objects.get(status="Pending")
    address = reverse("admin:wallets_deposit_reject", args=[deposit.pk])
    seen = finance.get(address).context["seen"]
    with assert_no_table_changes():
        response = finance.post(address, {"seen": seen, "reason": ""})
        assert_marked(response, "id_reason", "This field is required.")


def test_a_rejection_without_a_reason_comes_back_to_its_field(wallet, finance):
    made = wallet.request(500)
    with assert_no_table_changes():
        for name, typed, words in (
            ("reject", "  ", "Enter a reason for the rejection"),
            ("approve", "x" * 501, "at most 500 characters"),
        ):
            address = reverse(f"admin:wallets_withdrawal_{name}", args=[made.pk])
            response = submit_confirmation(finance, address, reason=typed, override=OVERRIDE)
            assert_marked(response, "id_reason", words)
    assert "x" * 501 in response.content.decode()


def test_a_bulk_rejection_without_a_reason_marks_it(wallet, finance):
    made = wallet.request(500)
    with assert_no_table_changes():
        response = finance.post(
            reverse("admin:wallets_withdrawal_bulk"),
            {"decision": "reject", "row": f"{made.pk}:{made.version}", "reason": ""},
        )
        assert_marked(response, "reason", "Enter a reason for the rejection", anchor=False)


def test_a_filter_that_cannot_be_read_says_so_at_its_field(finance):
    response = finance.get(reverse("admin:wallets_deposit_changelist"), {"day_from": "yesterday"})
    page = Elements(response)
    assert page.by_id["id_day_from"].get("aria-invalid") == "true"
    assert page.by_id["id_day_from"].get("aria-describedby") == "id_day_from_error"
    assert "id_day_from_error" in page.by_id
