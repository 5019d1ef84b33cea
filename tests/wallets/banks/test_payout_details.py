"""Payout details that a corridor needs in addition to bank and account number."""

import pytest

from exchange.core.errors import InvalidRequest
from wallets.banks.models import BankAccount
from wallets.banks.payout_details import clean_phone, missing_fields, required_fields


@pytest.mark.parametrize(
    ("currency", "labels"),
    [
        ("KES", []),
        ("GHS", ["branch code"]),
        ("UGX", ["branch code"]),
        ("TZS", ["branch code"]),
        (
            "ZAR",
            [
                "recipient's first name",
                "recipient's last name",
                "recipient's email",
                "recipient's phone",
                "recipient's address",
            ],
        ),
    ],
)
def test_missing_details_are_the_empty_ones_that_the_currency_needs(currency, labels):
    names = [*required_fields(currency)]
    assert [*required_fields(currency).values()] == labels
    assert missing_fields(currency, BankAccount()) == labels
    assert missing_fields(currency, BankAccount(**dict.fromkeys(names, " "))) == labels
    assert missing_fields(currency, BankAccount(**dict.fromkeys(names, "x"))) == []
    for name, label in zip(names, labels, strict=True):
        assert missing_fields(currency, BankAccount(**{name: "x"})) == [
            each for each in labels if each != label
        ]


def test_a_phone_number_has_a_country_code_and_loses_its_separators():
    assert clean_phone(" +27 (82) 123-4567") == "+27821234567"
    assert clean_phone("+1234567") == "+1234567"
    assert clean_phone("+123456789012345") == "+123456789012345"
    for wrong in ("", "0821234567", "+0821234567", "+123456", "+1234567890123456", "+27x21234567"):
        with pytest.raises(InvalidRequest) as error:
            clean_phone(wrong)
        message = (
            "recipient_phone must be a phone number with its country code, such as +27821234567"
        )
        assert (error.value.message, error.value.fields) == (message, {"recipient_phone": message})
