"""The rates of the day: proposed and approved at once, all or none, also from a file."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from config.back_office.roles import AUDITOR, BACK_OFFICE, FINANCE_APPROVER, get_role
from exchange.core.errors import Conflict, InvalidRequest, Rejected, StateConflict
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import messages_of, signed_in_client, text_of, user_of
from tests.factories.conversions import set_rates
from wallets.fees.models import SettingChange
from wallets.fees.rates import approve_rates, parse_rates, pending_rates, propose_rates
from wallets.fees.selectors import effective_setting
from wallets.fees.services import propose

pytestmark = pytest.mark.django_db

ADDRESS = "/admin/wallets/configuration/rates/"
PROPOSE, APPROVE = f"{ADDRESS}propose/", f"{ADDRESS}approve/"
REASON = "Central bank fixings of today"


@pytest.fixture(autouse=True)
def _rates() -> None:
    set_rates(KES="130", NGN="1500", GHS="12")


@pytest.fixture
def maker() -> Client:
    return signed_in_client(BACK_OFFICE)


@pytest.fixture
def checker() -> Client:
    return signed_in_client(FINANCE_APPROVER)


def effective() -> dict[str, Decimal | None]:
    return {code: effective_setting(f"{code}_USD_RATE") for code in ("KES", "NGN", "GHS")}


def submit_approval(client: Client, **typed: str) -> Any:
    """Submit the page as it is displayed, with the warnings that it displays."""
    shown = client.get(APPROVE)
    seen = shown.context["form"]["seen"].value()
    posted = client.post(APPROVE, {"seen": seen, **typed})
    if posted.status_code == 200 and posted.context["warnings"]:
        posted = client.post(APPROVE, {"seen": seen, "warned": posted.context["warned"], **typed})
    return posted


def test_rates_are_proposed_by_one_person_and_approved_by_another_at_once(maker, checker):
    done = maker.post(PROPOSE, {"KES": "131.5", "NGN": "1,520.25", "reason": REASON})
    assert messages_of(done) == ["2 proposed. They require a second person's approval."]
    assert effective() == {"KES": 130, "NGN": 1500, "GHS": 12}
    shown = text_of(checker.get(ADDRESS))
    assert "KES 130 KES per USD 131.5 KES per USD +1.15 % 20 % on approval" in shown
    assert "GHS 12 GHS per USD - - 20 % - - -" in shown
    done = submit_approval(checker)
    assert messages_of(done) == ["2 rates approved. They are effective."]
    assert effective() == {"KES": Decimal("131.5"), "NGN": Decimal("1520.25"), "GHS": 12}
    assert pending_rates() == []
    changes = SettingChange.objects.filter(decided_at__date=timezone.now().date(), reason=REASON)
    assert {change.decided_by for change in changes} == {user_of(checker)}


def test_a_rate_beyond_its_band_takes_a_reason_of_both(maker, checker):
    typed = {"KES": "13", "reason": REASON}
    warned = maker.post(PROPOSE, typed)
    assert "Usual is a change of at most 20 %" in text_of(warned)
    assert pending_rates() == []
    maker.post(PROPOSE, {**typed, "warned": warned.context["warned"]})
    refused = submit_approval(checker)
    assert "This field is required." in text_of(refused)
    assert effective()["KES"] == 130
    submit_approval(checker, reason="Checked with the central bank's page")
    assert effective()["KES"] == 13


def test_a_rate_of_a_later_time_is_shown_and_approved_with_its_time(maker, checker):
    later = timezone.now() + timedelta(days=1)
    propose(
        key="KES_USD_RATE",
        value=Decimal(131),
        reason=REASON,
        effective_from=later,
        user=user_of(maker),
    )
    propose_rates(rates={"NGN": Decimal(1510)}, reason=REASON, user=user_of(maker))
    assert f"20 % {later:%Y-%m-%d %H:%M:%S} UTC, in" in text_of(checker.get(APPROVE))
    done = submit_approval(checker)
    assert messages_of(done) == ["2 rates approved. Effective now: 1, later: 1."]
    assert effective() == {"KES": 130, "NGN": 1510, "GHS": 12}


@pytest.mark.parametrize("rate", ['"sNaN"', '"NaN"', '"Infinity"', "null"])
@pytest.mark.one_in(3)
def test_a_rate_that_no_page_showed_approves_nothing(maker, checker, rate):
    (change,) = propose_rates(rates={"KES": Decimal(131)}, reason=REASON, user=user_of(maker))
    with assert_no_table_changes():
        refused = checker.post(APPROVE, {"seen": f'{{"{change.pk}": {rate}}}'})
    assert refused.context["form"].errors == {"seen": ["Open the page again"]}


def test_the_proposer_and_an_auditor_cannot_approve(maker):
    maker.post(PROPOSE, {"KES": "131", "reason": REASON})
    both = signed_in_client(BACK_OFFICE, "both")
    assert both.get(APPROVE).status_code == 403
    auditor = signed_in_client(AUDITOR)
    assert auditor.get(APPROVE).status_code == 403
    assert auditor.get(ADDRESS).status_code == 200
    [change] = pending_rates()
    proposer = change.proposed_by
    assert proposer is not None
    proposer.groups.add(get_role(FINANCE_APPROVER))
    proposer = StaffUser.objects.get(pk=proposer.pk)
    with assert_no_table_changes(), pytest.raises(Rejected):
        approve_rates(seen={change.pk: Decimal(130)}, user=proposer)


def test_all_are_approved_or_none(maker, checker):
    maker.post(PROPOSE, {"KES": "131", "NGN": "1510", "reason": REASON})
    shown = checker.get(APPROVE)
    seen = shown.context["form"]["seen"].value()
    # Another one is proposed while the page is open.
    propose_rates(rates={"GHS": Decimal("12.1")}, reason=REASON, user=user_of(maker))
    with assert_no_table_changes():
        refused = checker.post(APPROVE, {"seen": seen})
    assert "Other rates await approval now. Review them again" in text_of(refused)
    # One of them changes meanwhile.
    changes = {change.configuration_id: change for change in pending_rates()}
    wrong = {change.pk: Decimal(1) for change in changes.values()}
    with assert_no_table_changes(), pytest.raises(StateConflict):
        approve_rates(seen=wrong, user=user_of(checker))
    assert effective() == {"KES": 130, "NGN": 1500, "GHS": 12}


def test_none_is_proposed_where_one_is_refused(maker):
    propose_rates(rates={"NGN": Decimal(1510)}, reason=REASON, user=user_of(maker))
    with assert_no_table_changes(), pytest.raises(Conflict):
        propose_rates(
            rates={"KES": Decimal(131), "NGN": Decimal(1520)}, reason=REASON, user=user_of(maker)
        )
    with pytest.raises(InvalidRequest, match="Enter at least one rate"):
        propose_rates(rates={}, reason=REASON, user=user_of(maker))


def test_rates_come_from_a_file(maker):
    content = b'\xef\xbb\xbfCurrency, Rate\r\nkes,131.5\r\n\r\nNGN,"1,520.25"\r\n'
    file = SimpleUploadedFile("rates.csv", content)
    done = maker.post(PROPOSE, {"file": file, "reason": REASON})
    assert messages_of(done) == ["2 proposed. They require a second person's approval."]
    assert {change.value for change in pending_rates()} == {Decimal("131.5"), Decimal("1520.25")}
    both = maker.post(
        PROPOSE,
        {"GHS": "12.1", "file": SimpleUploadedFile("rates.csv", content), "reason": REASON},
    )
    assert "Enter rates, or choose a file, not both" in text_of(both)


def test_rates_of_a_file_beyond_their_band_are_shown_and_submitted_again(maker):
    file = SimpleUploadedFile("rates.csv", b"currency,rate\nKES,13.25\nNGN,1510")
    warned = maker.post(PROPOSE, {"file": file, "reason": REASON})
    assert "Usual is a change of at most 20 %" in text_of(warned)
    # What the browser has of the page: the fields, and no file.
    form = warned.context["form"]
    typed = {field.name: field.value() for field in form if field.name != "file" and field.value()}
    assert typed == {"KES": "13.25", "NGN": "1,510", "reason": REASON}
    done = maker.post(PROPOSE, {**typed, "warned": warned.context["warned"]})
    assert messages_of(done) == ["2 proposed. They require a second person's approval."]
    assert {change.value for change in pending_rates()} == {Decimal("13.25"), Decimal(1510)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "The first line must be: currency,rate"),
        (b"currency;rate\nKES;131", "The first line must be: currency,rate"),
        (b"code,rate\nKES,131", "The first line must be: currency,rate"),
        (b"currency,rate\nKES", "Line 2 has 1 columns, not 2"),
        (b"currency,rate\nKES,131,x", "Line 2 has 3 columns, not 2"),
        (b"currency,rate\nEUR,1", "Line 2: the currency must be one of"),
        (b"currency,rate\nUSD,1", "Line 2: the currency must be one of"),
        (b"currency,rate\nKES,131\nKES,132", "Line 3: KES is there twice"),
        (b"currency,rate\nKES,-131", "Line 2: enter a rate such as 1,520.25"),
        (b"currency,rate\nKES,13e1", "Line 2: enter a rate such as 1,520.25"),
        (b"currency,rate\nNGN,1500\nKES,0", "Line 3, KES: From 0.00000001 KES per USD to"),
        (b"currency,rate\nKES,1.123456789", "Line 2, KES: At most 8 decimals"),
        (b"%PDF-1.7\n\xff\xfe", "The file is no CSV in UTF-8"),
        (b"currency,rate\n" + b"KES,131\n" * 2_000, "The file has more than 10,000 bytes"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(content, message):
    with pytest.raises(InvalidRequest, match=message.replace("(", r"\(")):
        parse_rates(content)
