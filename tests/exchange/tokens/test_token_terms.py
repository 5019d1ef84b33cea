"""Changes of one token's terms and access; no other token changes."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db.models import DecimalField
from structlog.testing import capture_logs

from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound, Rejected
from exchange.core.ids import uuid7
from exchange.core.numbers import MAX_NUMBER
from exchange.staff.models import StaffUser
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token, TokenAccess
from exchange.tokens.services.terms import (
    MONEY_FIELDS,
    PERCENT_LIMITS,
    describe_number_error,
    find_term_errors,
)
from exchange.tokens.services.tokens import change_terms, get_version, grant_access, withdraw_access
from tests.assertions.unchanged import table_fingerprints
from tests.factories.api_clients import make_organisation
from tests.factories.logins import create_login_user
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db

LIMIT = "1000000000000000"


@pytest.fixture
def office() -> StaffUser:
    return create_login_user(BACK_OFFICE, "office")


def token_with(**amounts: Decimal) -> Token:
    """Return an unsaved token whose amounts and percentages are zero, except those given."""
    return Token(**dict.fromkeys((*MONEY_FIELDS, *PERCENT_LIMITS), Decimal(0)) | amounts)


def change(token: Token, user: StaffUser, **terms: Any) -> Token:
    return change_terms(
        token_id=token.pk, terms=terms, expected_version=get_version(token), user=user
    )


# --- numbers ---


@pytest.mark.parametrize(
    ("value", "most", "reported_text"),
    [
        ("0", LIMIT, ""),
        ("-0.00000001", LIMIT, "fee must be from 0 to 1000000000000000"),
        (LIMIT, LIMIT, ""),
        (f"{LIMIT}.01", LIMIT, "fee must be from 0 to 1000000000000000"),
        ("50", "50", ""),
        ("50.01", "50", "fee must be from 0 to 50"),
        ("NaN", LIMIT, "fee must be from 0 to 1000000000000000"),
        ("Infinity", LIMIT, "fee must be from 0 to 1000000000000000"),
        ("1.25", LIMIT, ""),
        ("1.2500", LIMIT, ""),
        ("1.255", LIMIT, "fee must not have more than 2 decimals"),
    ],
)
def test_a_number_is_within_its_limits_and_has_the_decimals_of_its_currency(
    value, most, reported_text
):
    assert describe_number_error("fee", Decimal(value), 2, Decimal(most)) == reported_text


def test_without_its_own_limit_a_number_is_at_most_the_largest_amount():
    assert describe_number_error("valuation", MAX_NUMBER, 0) == ""
    reported_text = f"valuation must be from 0 to {LIMIT}"
    assert describe_number_error("valuation", MAX_NUMBER + 1, 0) == reported_text


def test_every_percentage_has_a_limit_and_four_decimals():
    for name, most in PERCENT_LIMITS.items():
        limit = 50 if name.endswith("_fee") and name != "management_fee" else 100
        assert most == limit
        for value, reported_text in (
            (Decimal(limit), {}),
            (Decimal("1.0001"), {}),
            (Decimal("1.00001"), {name: f"{name} must not have more than 4 decimals"}),
            (limit + Decimal("0.0001"), {name: f"{name} must be from 0 to {limit}"}),
        ):
            assert find_term_errors(token_with(**{name: value}), 2) == reported_text


@pytest.mark.parametrize("pair", ["buy", "sell", "trade_buy", "trade_sell"])
def test_limits_are_in_order_and_a_maximum_of_zero_is_none(pair):
    low, high = f"min_{pair}", f"max_{pair}"
    reported_text = {low: f"{low} must not be above {high}"}
    bounds: tuple[tuple[int, int, dict[str, str]], ...] = (
        (5, 0, {}),
        (5, 5, {}),
        (5, 6, {}),
        (5, 4, reported_text),
        (2, 1, reported_text),
    )
    for lowest, highest, wrong in bounds:
        token = token_with(**{low: Decimal(lowest), high: Decimal(highest)})
        assert find_term_errors(token, 0) == wrong
    # Invalid amounts are reported before the order.
    token = token_with(**{low: Decimal(5), high: Decimal("4.5")})
    assert find_term_errors(token, 0) == {high: f"{high} must not have decimals"}


def test_omitted_values_are_zero_and_columns_have_maximum_lengths():
    token = Token()
    for names, digits, decimals in (
        ((*MONEY_FIELDS, "price_buy", "supply"), 38, 8),
        (PERCENT_LIMITS, 12, 4),
    ):
        for name in names:
            field = Token._meta.get_field(name)
            assert isinstance(field, DecimalField)
            assert getattr(token, name) == 0
            whole = "9" * (digits - decimals)
            most = Decimal(f"{whole}.{'9' * decimals}")
            assert field.clean(most, token) == most
            for value in (Decimal(f"1{whole}"), Decimal(f"0.{'0' * decimals}1")):
                with pytest.raises(ValidationError):
                    field.clean(value, token)


# --- changing ---


def test_every_invalid_field_is_named(office):
    token = make_token()
    before = table_fingerprints()
    for terms, fields in (
        ({"name": "x" * 201}, {"name"}),
        ({"name": "", "type": "Secret"}, {"name", "type"}),
        ({"buy_fee": Decimal(51), "valuation": Decimal("1.001")}, {"buy_fee", "valuation"}),
        ({"image": "javascript:alert(1)"}, {"image"}),
    ):
        with pytest.raises(InvalidRequest) as refused:
            change(token, office, **terms)
        assert set(refused.value.fields) == fields
        assert all(name in refused.value.message for name in fields)
    with pytest.raises(InvalidRequest, match="price_buy, supply cannot be changed here"):
        change(token, office, supply=Decimal(1), price_buy=Decimal(1), name="New")
    assert table_fingerprints() == before


def test_only_the_given_token_changes(office):
    token, other = make_token(), make_token()
    named = other.name
    changed = change(token, office, name="New", buy_fee=Decimal("1.5"))
    assert (changed.name, changed.buy_fee) == ("New", Decimal("1.5"))
    assert '"name":"New"' in changed.document
    other.refresh_from_db()
    assert (other.name, other.buy_fee) == (named, 0)
    expected_version = get_version(token)
    before = table_fingerprints()
    change(token, office, name="New", buy_fee=Decimal("1.50"))
    assert table_fingerprints() == before
    assert get_version(token) == expected_version


def test_a_change_based_on_an_old_version_names_the_changed_fields(office):
    token, other = make_token(), make_token()
    expected_version = get_version(token)
    change(token, office, name="New")
    change(other, office, dividend=Decimal(1))
    with pytest.raises(Conflict) as refused:
        change_terms(
            token_id=token.pk,
            terms={"carry": Decimal(1)},
            expected_version=expected_version,
            user=office,
        )
    assert "The token has changed" in refused.value.message
    assert "name" in refused.value.message
    assert "dividend" not in refused.value.message
    between = get_version(token)
    change(token, office, discount=Decimal(2))
    with pytest.raises(Conflict, match=r"has changed \(discount\)\. Reload"):
        change_terms(
            token_id=token.pk, terms={"carry": Decimal(1)}, expected_version=between, user=office
        )
    token.refresh_from_db()
    assert (token.name, token.carry, token.discount) == ("New", 0, 2)


def test_changes_without_permission_or_of_unknown_tokens_are_rejected(office):
    reader, admin = create_login_user(AUDITOR, "reader"), create_login_user(ADMINISTRATOR, "admin")
    token, cancelled = make_token(), make_token(cancelled=True)
    other = make_organisation()
    one = {"token_id": token.pk, "organisation_id": other.pk}
    before = table_fingerprints()
    for user in (reader, admin):
        for act in (
            lambda user=user: change(token, user, name="New"),
            lambda user=user: grant_access(user=user, **one),
            lambda user=user: withdraw_access(user=user, **one),
        ):
            with pytest.raises(Forbidden, match="You may not change tokens"):
                act()
    with pytest.raises(Conflict, match="The token is cancelled"):
        change(cancelled, office, name="New")
    with pytest.raises(TokenNotFound):
        change_terms(token_id=uuid7(), terms={}, expected_version=None, user=office)
    for allow in (grant_access, withdraw_access):
        with pytest.raises(TokenNotFound):
            allow(token_id=uuid7(), organisation_id=other.pk, user=office)
        with pytest.raises(NotFound, match="Organisation not found"):
            allow(token_id=token.pk, organisation_id=uuid7(), user=office)
    assert table_fingerprints() == before


# --- access ---


def test_the_log_records_who_granted_and_withdrew_access(office):
    token, ada = make_token(), make_organisation()
    one: dict[str, Any] = {"token_id": token.pk, "organisation_id": ada.pk}
    with capture_logs() as reported_text:
        grant_access(user=office, **one)
        withdraw_access(user=office, **one)
        grant_access(**one)
    ids = {"token": str(token.pk), "organisation": str(ada.pk), "log_level": "info"}
    assert reported_text == [
        {"event": "token.access_granted", "actor": f"staff:{office.pk}", **ids},
        {"event": "token.access_withdrawn", "actor": f"staff:{office.pk}", **ids},
        {"event": "token.access_granted", "actor": "system", **ids},
    ]


def test_access_is_to_one_token_for_one_organisation(office):
    first, second = make_token(), make_token()
    ada, bob = make_organisation(), make_organisation()

    def granted() -> set[tuple[Any, Any]]:
        return set(TokenAccess.objects.values_list("token_id", "organisation_id"))

    access = grant_access(token_id=first.pk, organisation_id=ada.pk, user=office)
    assert access.granted_by == office
    assert grant_access(token_id=first.pk, organisation_id=bob.pk).granted_by is None
    grant_access(token_id=second.pk, organisation_id=ada.pk)
    with pytest.raises(Conflict, match="already has access"):
        grant_access(token_id=first.pk, organisation_id=ada.pk)
    with pytest.raises(Rejected, match="The issuer sees its own token"):
        grant_access(token_id=first.pk, organisation_id=first.issuer_id)
    withdraw_access(token_id=first.pk, organisation_id=ada.pk, user=office)
    assert granted() == {(first.pk, bob.pk), (second.pk, ada.pk)}
    with pytest.raises(Conflict, match="has no access"):
        withdraw_access(token_id=first.pk, organisation_id=ada.pk, user=office)
    assert granted() == {(first.pk, bob.pk), (second.pk, ada.pk)}
