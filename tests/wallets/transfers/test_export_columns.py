"""The columns of exported transfers, conversions and deposits, of members and organisations."""

from decimal import Decimal
from typing import Any

import pytest

from exchange.exports.sheets import SheetColumn
from tests.factories.api_clients import make_member
from tests.factories.conversions import convert, set_rates
from tests.factories.deposits import Owner, arrive, make_checkout, transaction_record
from tests.factories.transfers import transfer
from tests.factories.wallets import Wallet, make_wallet
from wallets.conversions.export_columns import CONVERSIONS
from wallets.deposits.export_columns import DEPOSITS
from wallets.transfers.export_columns import WALLET_TRANSFERS

pytestmark = pytest.mark.django_db


@pytest.fixture
def own() -> Wallet:
    return make_wallet(1_000_000, currency="NGN")


@pytest.fixture
def of_member(own: Wallet) -> Wallet:
    return Wallet(own.organisation, make_member(own.organisation, "Ada Obi")).fund(1_000_000, "NGN")


def row_of(columns: tuple[SheetColumn, ...], record: Any) -> dict[str, Any]:
    return {column.heading: column.value(record) for column in columns}


def test_a_transfer_names_both_wallets(own, of_member):
    made = transfer(own, of_member, "12.50", "NGN", client_reference="a/1")
    assert row_of(WALLET_TRANSFERS, made) == {
        "Time (UTC)": made.created_at,
        "Organisation": own.organisation.name,
        "From": own.organisation.name,
        "From type": "Organisation",
        "From ID": str(own.owner_id),
        "To": "Ada Obi",
        "To type": "Member",
        "To ID": str(of_member.owner_id),
        "Currency": "NGN",
        "Amount": Decimal("12.5"),
        "Status": "Completed",
        "Client reference": "a/1",
        "Transfer ID": str(made.pk),
    }
    row = row_of(WALLET_TRANSFERS, transfer(of_member, own, 5, "NGN"))
    assert (row["From"], row["From type"], row["To"], row["To type"]) == (
        "Ada Obi", "Member", own.organisation.name, "Organisation",
    )  # fmt: skip


def test_a_conversion_has_both_amounts_and_the_rates(own, of_member):
    set_rates()
    for wallet, name, kind in (
        (own, own.organisation.name, "Organisation"),
        (of_member, "Ada Obi", "Member"),
    ):
        made = convert(wallet, 150_000)
        row = row_of(CONVERSIONS, made)
        assert (row["Owner"], row["Owner type"], row["Owner ID"]) == (
            name, kind, str(wallet.owner_id),
        )  # fmt: skip
        assert (row["From"], row["Amount"], row["To"], row["Converted amount"]) == (
            "NGN", 150_000, "USD", 99,
        )  # fmt: skip
        assert (row["Spread income"], row["From per USD"], row["To per USD"]) == (1, 1500, 1)
        assert (row["Organisation"], row["Status"], row["Quote ID"], row["Conversion ID"]) == (
            own.organisation.name, "Completed", str(made.quote_id), str(made.pk),
        )  # fmt: skip


def test_a_deposit_says_what_arrived_from_whom(own):
    checkout = make_checkout(Owner(own.organisation))
    record = transaction_record(checkout.reference)
    arrive(record)
    checkout.refresh_from_db()
    row = row_of(DEPOSITS, checkout)
    assert (row["Reference"], row["Status"], row["Channel"], row["Net amount"]) == (
        checkout.reference, "Completed", "Checkout", 1000,
    )  # fmt: skip
    assert (row["Payer"], row["Provider's reference"], row["Provider's charge"]) == (
        "ADA OBI", record.flw_ref, 14,
    )  # fmt: skip
    assert row["Client reference"] == ""
    checkout.client_reference = "invoice-7"
    assert row_of(DEPOSITS, checkout)["Client reference"] == "invoice-7"
