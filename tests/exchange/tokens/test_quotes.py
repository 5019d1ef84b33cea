"""Valid quotes, their effect on one token, and who may approve them."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from config.back_office.roles import AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, Rejected, StateConflict
from exchange.staff.models import StaffUser
from exchange.staff.plausibility import ProposedNumber
from exchange.tokens.models import Quote, Token
from exchange.tokens.services import quotes
from exchange.tokens.services.quotes import Prices, find_price_errors
from tests.assertions.unchanged import table_fingerprints
from tests.factories.logins import create_login_user
from tests.factories.quotes import set_effective_quote
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db

ABOVE_0, TOO_LARGE = "Enter an amount above 0", "At most 1,000,000,000,000,000"
DECIMALS = "At most 2 decimals"
PRICES = ("price_buy", "price_sell", "price_exchange")


@pytest.fixture
def office() -> StaffUser:
    return create_login_user(BACK_OFFICE, "office")


@pytest.fixture
def finance() -> StaffUser:
    return create_login_user(FINANCE_APPROVER, "finance")


def prices(buy: str, sell: str, exchange: str = "0") -> Prices:
    return Prices(Decimal(buy), Decimal(sell), Decimal(exchange))


def current_prices(token: Token) -> list[Decimal]:
    """Return the current and the previous prices of a token."""
    token.refresh_from_db()
    return [getattr(token, name) for name in (*PRICES, *(f"prev_{name}" for name in PRICES))]


def propose(token: Token, user: StaffUser, **values: Any) -> Quote:
    given: dict[str, Any] = {"prices": prices("101", "100"), "note": "Revalued"}
    return quotes.propose(token_id=token.pk, user=user, **given | values)


@pytest.mark.parametrize(
    ("buy", "sell", "exchange", "wrong"),
    [
        ("2", "1", "0", {}),
        ("1", "1", "0.00000001", {}),
        ("1000000000000000", "0.01", "1000000000000000", {}),
        ("1000000000000000.01", "1", "0", {"buy": TOO_LARGE}),
        ("2", "1", "1000000000000000.1", {"exchange": TOO_LARGE}),
        ("2", "-0.01", "-1", {"sell": ABOVE_0, "exchange": ABOVE_0}),
        ("NaN", "Infinity", "0", {"buy": ABOVE_0, "sell": ABOVE_0}),
        ("0", "0", "0", {"buy": ABOVE_0, "sell": ABOVE_0}),
        ("2.011", "1.005", "0", dict.fromkeys(("buy", "sell"), DECIMALS)),
        ("2", "1", "0.000000001", {"exchange": "At most 8 decimals"}),
        ("1", "1.01", "0", {"sell": "Sell cannot exceed buy"}),
        ("1.001", "2", "0", {"buy": DECIMALS}),
    ],
)  # fmt: skip
def test_invalid_prices_are_reported_by_name(buy, sell, exchange, wrong):
    assert find_price_errors(make_token(), prices(buy, sell, exchange)) == wrong


def test_a_change_exceeds_the_band_above_its_percentage(settings):
    settings.PLAUSIBILITY_BANDS = {**settings.PLAUSIBILITY_BANDS, "quote": 10}
    for was, now, beyond in (
        ("100", "110", False),
        ("100", "110.01", True),
        ("100", "90", False),
        ("100", "89.99", True),
        ("100", "100", False),
        ("0", "100", True),
        ("0", "0", False),
        ("0.01", "0.02", True),
    ):
        change = ProposedNumber("Buy", Decimal(was), Decimal(now), "quote")
        assert change.exceeds_band is beyond
    token = make_token(price_buy=Decimal(5), price_sell=Decimal(4))
    buy, sell = quotes.compare_prices(token, prices("7", "6"))
    assert (int(buy.current), int(buy.proposed), buy.change) == (5, 7, "+40.00 %")
    assert (int(sell.current), int(sell.proposed), sell.change) == (4, 6, "+50.00 %")


def test_an_approved_quote_changes_one_token(office, finance):
    token, other = make_token(), make_token()
    assert Prices(buy=Decimal(2), sell=Decimal(1)).exchange == 0
    quote = propose(token, office, prices=prices("105", "95.5", "1500.25"), note=" Revalued ")
    asked = (Decimal(105), Decimal("95.5"), Decimal("1500.25"))
    assert (quote.buy, quote.sell, quote.exchange) == asked
    assert (quote.note, quote.proposed_by, quote.status) == ("Revalued", office, "Pending")
    assert current_prices(token) == [100, 100, 0, 100, 100, 0]
    with pytest.raises(Conflict, match="Another quote of this token is pending") as refused:
        propose(token, office)
    assert refused.value.code == "quote_pending"
    untouched = current_prices(other)
    before = timezone.now()
    done = quotes.approve(quote_id=quote.pk, user=finance)
    assert (done.status, done.decided_by) == ("Approved", finance)
    expected = [105, Decimal("95.5"), Decimal("1500.25"), 100, 100, 0]
    assert current_prices(token) == expected
    assert token.quoted_at is not None
    assert before <= token.quoted_at <= timezone.now()
    assert current_prices(other) == untouched
    assert other.quoted_at is not None
    assert other.quoted_at < before


@pytest.mark.parametrize("side", ["buy", "sell"])
def test_a_change_beyond_the_band_needs_a_reason_when_proposed_and_approved(
    settings, office, finance, side
):
    settings.PLAUSIBILITY_BANDS = {**settings.PLAUSIBILITY_BANDS, "quote": 10}
    token = make_token(price_buy=Decimal(100), price_sell=Decimal(80))
    far = prices("120", "80") if side == "buy" else prices("100", "60")
    with pytest.raises(
        InvalidRequest, match="This is beyond what is usual: enter a reason"
    ) as error:
        propose(token, office, prices=far, note=" ")
    assert error.value.code == "reason_required"
    assert set(error.value.fields) == {"note"}
    near = propose(token, office, prices=prices("105", "80"), note="")
    meanwhile = prices("200", "80") if side == "buy" else prices("105", "100")
    set_effective_quote(token_id=token.pk, prices=meanwhile, note="Loaded")
    before = table_fingerprints()
    why = "Compared with the report"
    with pytest.raises(Rejected, match="was proposed without a reason") as refused:
        quotes.approve(quote_id=near.pk, user=finance, reason=why)
    assert refused.value.code == "reason_required"
    assert table_fingerprints() == before
    quotes.reject(quote_id=near.pk, user=finance, reason="Too far by now")
    with pytest.raises(InvalidRequest, match="A reason has at least 15 letters and two words"):
        propose(token, office, prices=far, note="Revalued")
    again = propose(token, office, prices=far, note="Revalued by the auditor")
    with pytest.raises(InvalidRequest) as missing:
        quotes.approve(quote_id=again.pk, user=finance)
    assert missing.value.code == "reason_required"
    done = quotes.approve(quote_id=again.pk, user=finance, reason=why)
    assert (done.status, done.approval_reason) == ("Approved", why)


def test_who_may_propose_approve_and_reject(office, finance):
    reader, token = create_login_user(AUDITOR), make_token()
    quote = propose(token, office)
    before = table_fingerprints()
    for act, message in (
        (lambda: propose(token, reader), "You may not propose quotes"),
        (lambda: propose(token, finance), "You may not propose quotes"),
        (lambda: quotes.approve(quote_id=quote.pk, user=office), "You may not approve quotes"),
        (
            lambda: quotes.reject(quote_id=quote.pk, user=reader, reason="No"),
            "You may not reject quotes",
        ),
    ):
        with pytest.raises(Forbidden, match=message):
            act()
    for gone in ("is_active", "is_staff"):
        setattr(office, gone, False)
        with pytest.raises(Forbidden, match="You may not cancel quotes"):
            quotes.reject(quote_id=quote.pk, user=office, reason="No")
        setattr(office, gone, True)
    for user in (office, finance):
        with pytest.raises(InvalidRequest, match="Enter a reason for the rejection"):
            quotes.reject(quote_id=quote.pk, user=user, reason=" ")
    assert table_fingerprints() == before
    done = quotes.reject(quote_id=quote.pk, user=office, reason=" Mistyped ")
    assert (done.status, done.decided_by, done.reason) == ("Rejected", office, "Mistyped")
    over = f"^Already rejected by {office}$"
    with pytest.raises(StateConflict, match=over):
        quotes.reject(quote_id=quote.pk, user=finance, reason="No")
    with pytest.raises(StateConflict, match=over):
        quotes.approve(quote_id=quote.pk, user=finance)
    second = propose(token, office)
    assert quotes.reject(quote_id=second.pk, user=finance, reason="No").status == "Rejected"
    assert current_prices(token)[:3] == [100, 100, 0]


def test_notes_and_reasons_have_at_most_three_hundred_characters(office, finance):
    token = make_token()
    message = "The text must have at most 300 characters, not 301"
    with pytest.raises(InvalidRequest, match=message):
        propose(token, office, note="x" * 301)
    quote = propose(token, office, note="x" * 300)
    with pytest.raises(InvalidRequest, match=message):
        quotes.reject(quote_id=quote.pk, user=finance, reason="y" * 301)
    done = quotes.reject(quote_id=quote.pk, user=finance, reason="y" * 300)
    assert (done.note, done.reason) == ("x" * 300, "y" * 300)


def test_equal_buy_and_sell_prices_are_approved(office, finance):
    token = make_token()
    quote = propose(token, office, prices=prices("101", "101"))
    assert quotes.approve(quote_id=quote.pk, user=finance).status == "Approved"
    assert current_prices(token)[:2] == [101, 101]


def test_a_command_sets_prices_despite_a_pending_quote(office):
    token, other = make_token(), make_token()
    waiting = propose(token, office)
    quote = set_effective_quote(token_id=token.pk, prices=prices("300", "200", "1"), note="Loaded")
    assert (quote.status, quote.note, quote.proposed_by) == ("Approved", "Loaded", None)
    assert quote.decided_at is not None
    assert current_prices(token) == [300, 200, 1, 100, 100, 0]
    assert current_prices(other) == [100, 100, 0, 100, 100, 0]
    waiting.refresh_from_db()
    assert waiting.status == "Pending"
