"""What the documents of wallets may leave empty, which clients and the database both hold to."""

from wallets.banks.payloads import BANK
from wallets.ledger.payloads import HOLDING, TRANSACTION
from wallets.withdrawals.payloads import WITHDRAWAL


def test_fields_may_be_null_where_their_value_comes_later_or_from_elsewhere():
    for document, names in (
        (WITHDRAWAL, {"gusd_amount", "actioned_on"}),
        (BANK, set()),
        (TRANSACTION, {"description", "subject"}),
        (HOLDING, {"next_record_at", "next_payment_date"}),
    ):
        assert {field.name for field in document.fields if field.nullable} == names
        properties = document.schema()["properties"]
        assert {name for name, schema in properties.items() if "null" in schema["type"]} == names, (
            document.name
        )
