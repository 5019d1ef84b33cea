"""Files of camt.053: every entry once, with the right sign, of the right account."""

from datetime import date
from decimal import Decimal

import pytest

from tests.factories.bank_statements import balance, document, entry, statement
from wallets.bank_statements.camt import read_camt
from wallets.bank_statements.errors import UnreadableStatement

DETAILS = (
    "<NtryDtls><TxDtls><Refs><EndToEndId>INV-7</EndToEndId></Refs><RltdPties>"
    "<Dbtr>{}</Dbtr><Cdtr><Nm>Us</Nm></Cdtr></RltdPties>"
    "<RmtInf><Ustrd>Invoice 7</Ustrd><Ustrd>with thanks</Ustrd></RmtInf></TxDtls></NtryDtls>"
)
PAIR = "<NtryDtls><TxDtls><Amt>40</Amt></TxDtls><TxDtls><Amt>60</Amt></TxDtls></NtryDtls>"


def amounts(data: bytes) -> list[Decimal]:
    return [each.amount for found in read_camt(data) for each in found.entries]


def refusal(data: bytes) -> str:
    with pytest.raises(UnreadableStatement) as refused:
        read_camt(data)
    return refused.value.message


def test_an_entry_keeps_its_references_days_and_words():
    data = document(
        statement(
            entry(
                "1500.25",
                reference="FT1",
                more=DETAILS.format("<Nm>Wanjiru Traders</Nm>")
                + "<AddtlNtryInf>Transfer</AddtlNtryInf>",
            ).replace("<ValDt><Dt>2026-11-02", "<ValDt><Dt>2026-11-03")
        )
    )
    (found,) = read_camt(data)
    (only,) = found.entries
    assert (found.number, found.currency, found.balanced) == ("KE94BANK0000001234", "KES", False)
    assert (only.booked_on, only.value_on) == (date(2026, 11, 2), date(2026, 11, 3))
    assert (only.amount, only.bank_reference, only.payment_reference) == (
        Decimal("1500.25"), "FT1", "INV-7",
    )  # fmt: skip
    assert only.counterparty == "Wanjiru Traders"
    assert only.description == "Invoice 7 with thanks Transfer"
    assert not only.is_reversal


def test_version_8_names_status_and_party_otherwise():
    booked = entry(
        "10", status="<Sts><Cd>BOOK</Cd></Sts>", more=DETAILS.format("<Pty><Nm>Achieng</Nm></Pty>")
    )
    pending = entry("20", status="<Sts><Cd>PDNG</Cd></Sts>")
    (found,) = read_camt(document(statement(booked, pending), version="08"))
    assert [(each.amount, each.counterparty) for each in found.entries] == [
        (Decimal(10), "Achieng")
    ]


def test_the_payee_is_the_counterparty_of_a_debit():
    data = document(statement(entry("5", "DBIT", more=DETAILS.format("<Nm>Payer</Nm>"))))
    assert read_camt(data)[0].entries[0].counterparty == "Us"


@pytest.mark.parametrize(("direction", "amount"), [("DBIT", "-70.10"), ("CRDT", "70.10")])
@pytest.mark.parametrize("said", ["true", "1"])
def test_a_reversal_keeps_the_sign_of_its_entry(direction, amount, said):
    given = entry("70.10", direction, more=f"<RvslInd>{said}</RvslInd>")
    (found,) = read_camt(document(statement(given)))
    assert [(each.amount, each.is_reversal) for each in found.entries] == [(Decimal(amount), True)]


def test_an_entry_of_several_transactions_is_one_line():
    assert amounts(document(statement(entry("100", more=PAIR)))) == [100]


def test_entries_without_money_or_booking_are_left_out():
    announced = entry("9", status="<Sts>INFO</Sts>")
    assert amounts(document(statement(entry("0.00"), announced, entry("1", status="")))) == [1]
    assert refusal(document(statement(entry("9", status="<Sts>MAYB</Sts>")))) == (
        "Entry 1 has an unknown status, MAYB"
    )


def test_each_statement_of_a_file_has_its_account():
    first = statement(entry("1"), entry("2", "DBIT"), name="A", number="KE01 0001")
    second = statement(entry("3", currency="NGN"), name="B", number="NG02", currency="NGN")
    found = read_camt(document(first, second))
    assert [
        (each.number, each.currency, [str(e.amount) for e in each.entries]) for each in found
    ] == [
        ("KE010001", "KES", ["1", "-2"]),
        ("NG02", "NGN", ["3"]),
    ]


def test_an_account_without_iban_is_named_by_its_number():
    data = document(statement(entry("1"))).replace(
        b"<IBAN>KE94BANK0000001234</IBAN>", b"<Othr><Id>001-778</Id></Othr>"
    )
    assert read_camt(data)[0].number == "001-778"


def test_a_statement_that_is_repeated_counts_once():
    one = statement(entry("1", reference="A"))
    assert amounts(document(one, one)) == [1]
    assert amounts(document(one, statement(entry("1", reference="A"), name="S-2"))) == [1, 1]
    assert refusal(document(one, statement(entry("2")))) == (
        "Statement S-1 is in the file twice, with other entries"
    )


def test_pages_of_a_statement_are_all_read():
    pages = [
        statement(f"<StmtPgntn><PgNb>{page}</PgNb></StmtPgntn>", entry("1")) for page in (1, 2)
    ]
    assert amounts(document(*pages)) == [1, 1]


def test_balances_prove_that_no_entry_is_missing():
    opening, closing = balance("OPBD", "100.10"), balance("CLBD", "20.20", "DBIT")
    entries = (entry("30.05"), entry("150.35", "DBIT"))
    (found,) = read_camt(document(statement(opening, closing, *entries)))
    assert found.balanced
    assert refusal(document(statement(opening, closing, entries[0]))) == (
        "Statement S-1 is incomplete: its entries lead to a balance of 130.15 instead of -20.20,"
        " a difference of -150.35"
    )
    assert not read_camt(document(statement(opening, entries[0])))[0].balanced


def test_of_the_balances_of_several_days_the_first_and_last_count():
    parts = [
        balance("OPBD", "10", day="2026-11-03"), balance("CLBD", "13", day="2026-11-03"),
        balance("PRCD", "99"), balance("OPBD", "7"), balance("CLBD", "10"),
    ]  # fmt: skip
    days = (entry("3"), entry("3", day="2026-11-03"))
    assert read_camt(document(statement(*parts, *days)))[0].balanced
    previous = statement(balance("PRCD", "7"), balance("CLBD", "13"), *days)
    assert read_camt(document(previous))[0].balanced


def test_other_encodings_are_read():
    data = document(statement(entry("1", more="<AddtlNtryInf>Café Ṣadé</AddtlNtryInf>")))
    text = data.decode()
    wide = text.replace("UTF-8", "UTF-16").encode("utf-16")
    assert read_camt(wide)[0].entries[0].description == "Café Ṣadé"
    west = text.replace("UTF-8", "windows-1252").replace("Ṣadé", "").encode("cp1252")
    assert read_camt(west)[0].entries[0].description == "Café"
    assert refusal(text.replace("UTF-8", "no-such").encode()) == (
        "The encoding that the XML names is not supported"
    )


def test_times_count_by_the_day_of_the_bank():
    data = document(statement(entry("1"))).replace(
        b"<BookgDt><Dt>2026-11-02</Dt>", b"<BookgDt><DtTm>2026-11-01T23:59:00+03:00</DtTm>"
    )
    assert read_camt(data)[0].entries[0].booked_on == date(2026, 11, 1)
    only_value = document(statement(entry("1"))).replace(
        b"<BookgDt><Dt>2026-11-02</Dt></BookgDt>", b""
    )
    assert read_camt(only_value)[0].entries[0].booked_on == date(2026, 11, 2)


def test_a_file_that_is_cut_off_names_the_place():
    data = document(statement(entry("1"), entry("2"))).replace(b"<Ntry>", b"\n<Ntry>")
    cut = data[: data.index(b"<Amt", data.index(b"<Amt") + 1) + 6]
    assert refusal(cut) == "The XML is damaged or cut off at line 3, character 7"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (entry("1,50"), "Entry 1: the amount is not a number with a decimal point"),
        (entry("-1"), "Entry 1: the amount is not a number with a decimal point"),
        (entry("1e3"), "Entry 1: the amount is not a number with a decimal point"),
        (entry("1") + entry("1", "CR"), "Entry 2 is neither a credit nor a debit"),
        (entry("1", day="2026-02-30"), "Entry 1: a date is not valid"),
        (entry("1", day="1026-02-03"), "Entry 1: the date is not between 2000 and 2199"),
        (entry("1", day="2126-02-03"), "Entry 1: the booking date 2126-02-03 is in the future"),
        (entry("1", reference="X" * 101),
         "Entry 1: the bank's reference has more than 100 characters"),
        (entry("1000000000000001"), "Entry 1: the amount is too large or has too many decimals"),
        (entry("1", currency="USD"), "Statement S-1 has amounts in no currency, or in several"),
        ("<Ntry/>", "Entry 1: the amount is not a number with a decimal point"),
        (entry("1").replace("<Dt>2026-11-02</Dt>", ""), "Entry 1 has no booking date"),
        ("<a>" * 30, "The XML is nested too deeply, or has too many elements"),
    ],
)  # fmt: skip
def test_an_entry_that_is_not_valid_is_named(given, message):
    assert refusal(document(statement(given))) == message


def test_a_file_of_another_message_is_named():
    other = document(statement(entry("1"))).replace(b"camt.053", b"camt.054")
    assert refusal(other) == "The file is camt.054.001.02, not camt.053"
    assert refusal(b"<html><body/></html>") == "The file is <html>, not camt.053"
    assert refusal(document()) == "The file has no statement"
    nameless = document(statement(entry("1"))).replace(b"KE94BANK0000001234", b"")
    assert refusal(nameless) == "Statement S-1 names no account"


def test_entities_are_never_expanded():
    bomb = '<!ENTITY e0 "ha">' + "".join(
        f'<!ENTITY e{place} "{f"&e{place - 1};" * 10}">' for place in range(1, 12)
    )
    data = document(statement(entry("1", more="<AddtlNtryInf>&e11;</AddtlNtryInf>")),
                    before=f"<!DOCTYPE Document [{bomb}]>")  # fmt: skip
    assert refusal(data) == "The file has a document type (DOCTYPE), as no statement has"
    outside = '<!DOCTYPE d SYSTEM "file:///etc/passwd">'
    assert "DOCTYPE" in refusal(document(statement(entry("1")), before=outside))


def test_the_number_of_elements_is_limited(monkeypatch):
    data = document(statement(entry("1")))
    monkeypatch.setattr("wallets.bank_statements.camt._MAX_ELEMENTS", 18)
    assert amounts(data) == [1]
    monkeypatch.setattr("wallets.bank_statements.camt._MAX_ELEMENTS", 17)
    assert refusal(data) == "The XML is nested too deeply, or has too many elements"


def test_the_number_of_entries_is_limited(monkeypatch):
    monkeypatch.setattr("wallets.bank_statements.entries.MAX_LINES", 2)
    assert amounts(document(statement(entry("1") * 2))) == [1, 1]
    assert refusal(document(statement(entry("1") * 3))) == (
        "The file has more than 2 lines. Divide it by days"
    )
