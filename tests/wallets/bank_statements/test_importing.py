"""Statement files: uploaded, imported once each, discarded, and what is refused before that."""

import threading
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from exchange.core.errors import (
    Conflict,
    Forbidden,
    InvalidCurrency,
    InvalidRequest,
    NotFound,
    StateConflict,
)
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.concurrency import start_call
from tests.factories.bank_statements import (
    IBAN,
    balance,
    document,
    entry,
    layout,
    make_account,
    make_matcher,
    statement,
    upload,
)
from tests.factories.wallets import make_staff
from wallets.bank_statements.entries import MAX_BYTES
from wallets.bank_statements.errors import UnreadableStatement
from wallets.bank_statements.models import OwnBankAccount, StatementFile, StatementLine
from wallets.bank_statements.services.accounts import add_account, save_layout
from wallets.bank_statements.services.files import discard_file, import_file, upload_file

pytestmark = pytest.mark.django_db

HEAD = "Date,Reference,Details,Amount\n"


def do_import(data: bytes | str, account=None) -> tuple[int, int]:
    """Import a file; return how many lines it has, and how many were new."""
    file = upload(data.encode() if isinstance(data, str) else data, account)
    done = import_file(file_id=file.pk, user=make_matcher())
    assert done.status == "Imported"
    assert done.content is None
    return done.lines, done.new_lines or 0


def stored() -> list[Any]:
    rows = StatementLine.objects.order_by("booked_on", "amount", "bank_reference", "number")
    return [(f"{r.booked_on:%d}", r.amount, r.bank_reference, r.number) for r in rows]


def test_a_file_is_read_when_uploaded_and_adds_lines_when_imported():
    account = make_account()
    parts = (balance("OPBD", "10"), balance("CLBD", "105.50"))
    more = "<RvslInd>true</RvslInd>"
    data = document(
        statement(*parts, entry("100", reference="FT1"), entry("4.50", "DBIT", more=more))
    )
    file = upload(data)
    assert not StatementLine.objects.exists()
    assert (file.kind, file.status, file.lines, file.has_balances) == (
        "camt.053", "Uploaded", 2, True,
    )  # fmt: skip
    assert file.account is None
    assert len(file.sha256) == 64
    done = import_file(file_id=file.pk, user=make_matcher())
    assert done.new_lines == 2
    fee, payment = StatementLine.objects.order_by("amount")
    assert (fee.amount, fee.bank_reference, fee.number, fee.is_reversal) == (
        Decimal("-4.50"), "", 1, True,
    )  # fmt: skip
    assert (payment.account, payment.file, payment.currency_id) == (account, file, "KES")
    assert (payment.amount, payment.bank_reference, payment.status) == (
        Decimal(100), "FT1", "Open",
    )  # fmt: skip


def test_the_same_file_adds_nothing_twice():
    account = make_account()
    text = HEAD + "02/11/2026,A,x,5\n02/11/2026,,x,-7\n"
    assert do_import(text, account) == (2, 2)
    before = stored()
    assert do_import(text, account) == (2, 0)
    assert stored() == before


def test_a_file_that_overlaps_adds_what_is_new():
    account = make_account()
    assert do_import(HEAD + "02/11/2026,A,x,5\n03/11/2026,B,x,6\n", account) == (2, 2)
    assert do_import(HEAD + "03/11/2026,B,x,6\n03/11/2026,B2,x,6\n04/11/2026,C,x,6\n", account) == (
        3, 2,
    )  # fmt: skip
    assert [day for day, *_ in stored()] == ["02", "03", "03", "04"]


def test_equal_lines_of_a_day_differ_by_their_number():
    account = make_account()
    equal = "02/11/2026,,fee,-5\n"
    assert do_import(HEAD + equal, account) == (1, 1)
    assert do_import(HEAD + equal * 3, account) == (3, 2)
    assert do_import(HEAD + equal * 2, account) == (2, 0)
    assert stored() == [("02", -5, "", number) for number in (1, 2, 3)]


def test_of_equal_lines_the_one_with_other_words_is_new():
    account = make_account()
    do_import(HEAD + "02/11/2026,,from Achieng,5\n", account)
    assert do_import(
        HEAD + "02/11/2026,,from Wanjiru,5\n02/11/2026,,from Achieng,5\n", account
    ) == (2, 1)
    rows = StatementLine.objects.order_by("number").values_list("number", "description")
    assert list(rows) == [(1, "from Achieng"), (2, "from Wanjiru")]


def test_a_line_whose_words_the_bank_changed_is_known():
    account = make_account()
    do_import(HEAD + "02/11/2026,A,x,5\n", account)
    assert do_import(HEAD + "02/11/2026,A,x by Achieng,5\n", account) == (1, 0)
    changed = "02/11/2026,A,x by Achieng,5\n02/11/2026,A,x,5\n02/11/2026,A,new,5\n"
    assert do_import(HEAD + changed, account) == (3, 2)
    assert stored() == [("02", 5, "A", number) for number in (1, 2, 3)]


def test_a_line_of_csv_is_that_of_camt():
    account = make_account()
    do_import(document(statement(entry("5", reference="A"), entry("6", "DBIT", reference="B"))))
    text = HEAD + "02/11/2026,A,,5.00\n02/11/2026,B,,-6.00\n"
    assert do_import(text, account) == (2, 0)


def test_a_file_has_lines_of_several_accounts():
    first = make_account()
    second = make_account("Operations NGN", "NG02", "NGN")
    other = statement(
        entry("5", reference="A", currency="NGN"), number="ng 02", currency="NGN", name="S-2"
    )
    more = statement(entry("5", reference="A"), name="S-3")
    assert do_import(document(statement(entry("5", reference="A")), other, more)) == (3, 3)
    rows = StatementLine.objects.order_by("currency", "number")
    assert [(row.account, row.currency_id, row.number) for row in rows] == [
        (second, "NGN", 1), (first, "KES", 1), (first, "KES", 2),
    ]  # fmt: skip


@pytest.fixture
def matcher() -> StaffUser:
    """A person who may import statements, made before tables are compared."""
    return make_matcher()


@pytest.fixture
def refusal(matcher: StaffUser) -> Callable[..., str]:
    """Return the message about a file that is refused; nothing changes."""

    def read(data: bytes, account: OwnBankAccount | None = None) -> str:
        with assert_no_table_changes(), pytest.raises(UnreadableStatement) as refused:
            upload_file(name="x", data=data, account=account, user=matcher)
        assert refused.value.fields == {"file": refused.value.message}
        return refused.value.message

    return read


def test_a_file_that_is_refused_moves_nothing(refusal):
    account = make_account()
    assert refusal(document(statement(entry("5", reference="A"), number="KE0099887766"))) == (
        "The account …7766 in KES is not one of the exchange's. Add it first"
    )
    assert refusal(document(statement(entry("5", currency="USD"), currency="USD"))) == (
        "The account …1234 in USD is not one of the exchange's. Add it first"
    )
    assert refusal(document(statement(entry("5.001")))) == (
        "The amount 5.001 of 2026-11-02 has more decimals than KES"
    )
    assert refusal(document(statement(entry("5"), balance("OPBD", "1"), balance("CLBD", "7")))) == (
        "Statement S-1 is incomplete: its entries lead to a balance of 6.00 instead of 7.00, a"
        " difference of 1.00"
    )
    assert refusal(document(statement())) == "The file has no booked entries"
    assert refusal(b"%PDF-1.4") == (
        "The file is a PDF document. Export the statement from the bank as CSV or camt.053"
    )
    assert refusal(b"x" * (MAX_BYTES + 1), account) == (
        "The file is larger than 10 MB. Export fewer days"
    )
    assert refusal(b"02/11/2026,A", account).startswith("No line has the headings")


def test_a_line_at_the_end_that_is_refused_adds_none(refusal):
    account = make_account()
    text = HEAD + "02/11/2026,A,x,5\n" * 20 + "03/11/2026,B,x,5,\n03/11/2026,C"
    assert refusal(text.encode(), account) == "Line 23 is cut off: it has 2 of 4 columns"


def test_too_many_lines_are_refused(refusal):
    account = make_account()
    data = (HEAD + "02/11/2026,A,,5\n" * 600_000).encode()
    assert len(data) < MAX_BYTES
    assert refusal(data, account) == "The file has more than 20,000 lines. Divide it by days"


def test_a_file_is_imported_or_discarded_once():
    make_account()
    data = document(statement(entry("5")))
    for decide, status in ((import_file, "imported"), (discard_file, "discarded")):
        file = upload(data)
        decide(file_id=file.pk, user=make_matcher())
        for again in (import_file, discard_file):
            user = make_matcher()
            with assert_no_table_changes(), pytest.raises(StateConflict) as refused:
                again(file_id=file.pk, user=user)
            assert refused.value.message == f"The file is {status} already"
    file.refresh_from_db()
    assert (file.content, file.new_lines) == (None, None)
    assert StatementLine.objects.count() == 1
    with pytest.raises(NotFound):
        import_file(file_id=uuid7(), user=make_matcher())


def test_the_layout_of_the_upload_counts():
    account = make_account()
    file = upload((HEAD + "02/11/2026,A,x,5\n").encode(), account)
    changed = layout(amount="", debit="Amount", credit="Reference")
    save_layout(account_id=account.pk, layout=changed, user=make_matcher())
    import_file(file_id=file.pk, user=make_matcher())
    assert stored() == [("02", 5, "A", 1)]


def test_files_that_are_kept_are_limited(monkeypatch, matcher):
    make_account()
    monkeypatch.setattr("wallets.bank_statements.services.files.MAX_UPLOADED", 1)
    data = document(statement(entry("5")))
    file = upload(data)
    with assert_no_table_changes(), pytest.raises(Conflict) as refused:
        upload_file(name="x", data=data, account=None, user=matcher)
    assert refused.value.message == "1 files are uploaded. Import or discard them first"
    discard_file(file_id=file.pk, user=matcher)
    upload(data)


def test_only_those_who_may_match_import():
    account = make_account()
    file = upload(document(statement(entry("5"))))
    other = make_staff("move_treasury")
    for act in (
        lambda: add_account(name="x", number="KE01", currency="KES", user=other),
        lambda: save_layout(account_id=account.pk, layout=layout(), user=other),
        lambda: upload_file(name="x", data=b"", account=None, user=other),
        lambda: import_file(file_id=file.pk, user=other),
        lambda: discard_file(file_id=file.pk, user=other),
    ):
        with assert_no_table_changes(), pytest.raises(Forbidden) as refused:
            act()
        assert refused.value.message == "You may not import or match bank statements"


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"currency": "XXX"}, InvalidCurrency, "Currency must be one of"),
        ({"number": "KE 1"}, InvalidRequest, "Enter the IBAN or the number of the account"),
        ({"number": "KE01;DROP"}, InvalidRequest, "Enter the IBAN"),
        ({"number": "K" * 35}, InvalidRequest, "Enter the IBAN"),
        ({"name": " "}, InvalidRequest, "Enter a name"),
        ({"name": "a\x07"}, InvalidRequest, "name must not contain control characters"),
        ({"name": "Operations KES"}, Conflict, "There is an account with this name"),
        ({"number": "ke94 bank 0000 0012 34"}, Conflict, "There is an account with this name"),
    ],
)
def test_an_account_that_is_not_valid_is_refused(matcher, values, error, message):
    make_account()
    given = {"name": "Other", "number": "KE77", "currency": "KES"} | values
    with assert_no_table_changes(), pytest.raises(error, match=message):
        add_account(**given, user=matcher)


def test_one_number_has_an_account_for_each_currency():
    make_account()
    added = add_account(name="Other", number=IBAN.lower(), currency="USD", user=make_matcher())
    assert (added.number, added.masked_number) == (IBAN, "…1234")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"date": ""}, "date"), ({"encoding": "utf-7"}, "encoding"),
        ({"delimiter": "x"}, "delimiter"), ({"decimal": "'"}, "decimal"),
        ({"date_format": "%s"}, "date_format"), ({"decimal": ","}, "decimal"),
        ({"amount": ""}, "amount"), ({"amount": "", "debit": "Debit"}, "amount"),
        ({"debit": "Debit", "credit": "Credit"}, "amount"), ({"credit": "Credit"}, "amount"),
    ],
)  # fmt: skip
def test_a_layout_that_reads_nothing_is_refused(matcher, changes, field):
    account = make_account()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        save_layout(account_id=account.pk, layout=layout(**changes), user=matcher)
    assert list(refused.value.fields) == [field]


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_add_each_line_once():
    make_account()
    users = [make_matcher(), make_matcher()]
    data = document(statement(*(entry(str(n), reference=f"R{n}") for n in range(1, 40))))
    files = [upload(data), upload(data)]
    gate = threading.Barrier(2)

    def run(place: int) -> int:
        gate.wait()
        return import_file(file_id=files[place].pk, user=users[place]).new_lines or 0

    calls = [start_call(partial(run, place)) for place in range(2)]
    assert sorted(call.result(timeout=30) for call in calls) == [0, 39]
    assert StatementLine.objects.count() == 39


@pytest.mark.django_db(transaction=True)
def test_a_file_that_two_people_import_is_imported_once():
    make_account()
    file = upload(document(statement(entry("5"))))
    users = [make_matcher(), make_matcher()]
    gate = threading.Barrier(2)

    def run(place: int) -> bool:
        gate.wait()
        try:
            import_file(file_id=file.pk, user=users[place])
        except StateConflict:
            return False
        return True

    calls = [start_call(partial(run, place)) for place in range(2)]
    assert sorted(call.result(timeout=30) for call in calls) == [False, True]
    assert StatementFile.objects.get().new_lines == StatementLine.objects.count() == 1
