"""Bank statements in the back office: upload, first lines, import, and the match of a line."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    make_participants,
    messages_of,
    page,
    submit_confirmation,
    text_of,
)
from tests.factories.bank_statements import (
    IBAN,
    balance,
    document,
    entry,
    import_camt,
    make_account,
    make_line,
    make_matcher,
    statement,
    upload,
)
from tests.factories.treasury import move, terms
from tests.factories.wallets import make_member_wallet, make_staff
from wallets.adjustments.models import AdjustingEntry
from wallets.bank_statements.models import OwnBankAccount, StatementFile, StatementLine
from wallets.bank_statements.services.matching import set_aside
from wallets.deposits.models import Deposit
from wallets.deposits.services import manual as deposits
from wallets.treasury.models import TreasuryMovement

pytestmark = pytest.mark.django_db

UPLOAD = "admin:wallets_statementfile_add"
LIST = "admin:wallets_statementline_changelist"
HEAD = "Date,Reference,Details,Amount\n"
WHY = "A charge of the bank for November"


def send(client: Client, data: bytes | str, **fields: Any) -> Any:
    content = data.encode() if isinstance(data, str) else data
    file = SimpleUploadedFile("november.csv", content)
    return client.post(reverse(UPLOAD), {"file": file, **fields})


def test_an_account_is_added_and_its_layout_saved(finance):
    add = reverse("admin:wallets_ownbankaccount_add")
    body = {"name": "Operations KES", "currency": "KES", "number": "ke94 bank 0000 0012 34"}
    assert messages_of(finance.post(add, body)) == ["Account added."]
    account = OwnBankAccount.objects.get()
    shown = text_of(finance.get(page(account)))
    assert "…1234" in shown
    assert IBAN not in shown
    assert "None saved." in shown
    layout = {
        "encoding": "cp1252", "delimiter": ";", "decimal": ",", "date_format": "%d.%m.%Y",
        "date": "Datum", "amount": "Betrag",
    }  # fmt: skip
    wrong = text_of(finance.post(page(account, "layout"), layout | {"amount": ""}))
    assert "Enter the heading of the amount, or those of debit and credit" in wrong
    finance.post(page(account, "layout"), layout)
    shown = text_of(finance.get(page(account)))
    assert "Encoding Windows-1252 Delimiter Semicolon Decimal sign Comma (1.234,50)" in shown
    assert "Dates 31.03.2026 Booking date Datum Amount Betrag" in shown
    again = finance.get(page(account, "layout")).context["form"]
    assert again["delimiter"].value() == ";"


def test_a_file_is_uploaded_read_and_imported(finance):
    account = make_account()
    lines = "02/11/2026,FT1,Invoice 7,1500.25\n03/11/2026,,Charge,-4.50\n"
    response = send(finance, HEAD + lines, account=account.pk)
    assert messages_of(response) == ["File read. Check its first lines, then import it."]
    file = StatementFile.objects.get()
    assert (file.name, file.kind, file.status) == ("november.csv", "CSV", "Uploaded")
    shown = text_of(finance.get(page(file)))
    assert "First lines of 2 lines: 2 new, 0 known" in shown
    assert "2026-11-02 Operations KES 1,500.25 KES FT1 Invoice 7" in shown
    assert "2026-11-03 Operations KES -4.50 KES - Charge" in shown
    assert "it does not prove that no line is missing" in shown
    assert not StatementLine.objects.exists()
    done = submit_confirmation(finance, page(file, "import"))
    assert messages_of(done)[-1] == "Imported. 2 lines: 2 new, 0 known."
    assert StatementLine.objects.count() == 2
    again = text_of(finance.get(page(file)))
    assert "First lines" not in again
    assert "it does not prove" not in again


def test_the_same_file_again_is_known(finance):
    make_account()
    data = document(statement(balance("OPBD", "0"), balance("CLBD", "5"), entry("5")))
    for counts in ("1 line: 1 new, 0 known", "1 line: 0 new, 1 known"):
        send(finance, data)
        file = StatementFile.objects.latest("id")
        shown = text_of(finance.get(page(file)))
        assert f"First lines of {counts}" in shown
        assert "it does not prove" not in shown
        done = submit_confirmation(finance, page(file, "import"))
        assert messages_of(done)[-1] == f"Imported. {counts}."


def test_a_file_that_cannot_be_read_says_why_and_stores_nothing(finance):
    account = make_account()
    with assert_no_table_changes():
        shown = text_of(send(finance, b"%PDF-1.7 x", account=account.pk))
        assert "The file is a PDF document. Export the statement from the bank" in shown
        cut = text_of(send(finance, document(statement(entry("5")))[:-30]))
        assert "The XML is damaged or cut off at line 1" in cut
        missing = text_of(finance.post(reverse(UPLOAD), {}))
        assert "This field is required." in missing
        unknown = text_of(send(finance, HEAD + "02/11/2026,A,x,1\n"))
        assert "Of a CSV file, choose the account" in unknown


def test_a_file_above_the_limit_is_refused_unread(finance, monkeypatch):
    monkeypatch.setattr("wallets.bank_statements.admin.files.MAX_BYTES", 20)
    with assert_no_table_changes():
        shown = text_of(send(finance, b"x" * 21))
        assert "The file is larger than 10 MB. Export fewer days" in shown
    assert "The file is larger" not in text_of(send(finance, b"x" * 20))


def test_a_body_above_the_limit_is_refused_before_it_is_read(finance, settings):
    settings.UPLOAD_LIMITS = {reverse(UPLOAD): 3000}
    with assert_no_table_changes():
        response = send(finance, b"x" * 3000)
    assert response.status_code == 400
    assert "a bank statement has at most 10 MB. No changes were made." in text_of(response)
    assert send(finance, b"x" * 1000).status_code == 200


def test_a_file_is_discarded_once(finance, maker):
    make_account()
    send(finance, document(statement(entry("5"))))
    file = StatementFile.objects.get()
    done = submit_confirmation(finance, page(file, "discard"))
    assert messages_of(done)[-1] == "Discarded. No line was added."
    for name in ("discard", "import"):
        with assert_no_table_changes():
            refused = submit_confirmation(maker, page(file, name))
        assert "The file is discarded already" in messages_of(refused)[-1]
    shown = text_of(finance.get(page(file)))
    assert "First lines" not in shown


def booked(amount: str = "100", reference: str = "FT1") -> Deposit:
    organisation, _ = make_participants()
    payment = deposits.IncomingPayment(
        organisation.pk, None, "KES", terms("top_up", amount).amount, reference, WHY
    )
    entered = deposits.enter(payment=payment, user=make_staff("add_deposit"))
    deposits.confirm(deposit_id=entered.pk, user=make_staff("decide_deposit"), reason=WHY)
    return Deposit.objects.get(pk=entered.pk)


def test_a_line_shows_its_candidates_and_one_is_confirmed(finance, auditor):
    line, deposit = make_line(reference="ft 1"), booked()
    shown = finance.get(page(line))
    assert "FT1 Deposit" in text_of(shown)
    assert "Same Completed Match" in text_of(shown)
    address = page(line, "match", "deposit", deposit.pk)
    assert address in shown.content.decode()
    assert address not in auditor.get(page(line)).content.decode()
    asked = text_of(finance.get(address))
    assert "Match 100.00 KES with FT1?" in asked
    assert "Its reference FT1" in asked
    done = submit_confirmation(finance, address)
    assert messages_of(done)[-1] == "Matched. Nothing was booked."
    line.refresh_from_db()
    assert (line.status, line.deposit_id) == ("Matched", deposit.pk)
    assert "Records that it may be" not in text_of(finance.get(page(line)))
    assert page(line) in finance.get(page(deposit)).content.decode()
    removed = submit_confirmation(finance, page(line, "remove_match"))
    assert messages_of(removed)[-1] == "Match removed."
    assert page(line) not in finance.get(page(deposit)).content.decode()


def test_a_match_with_another_amount_is_refused(finance):
    line, deposit = make_line("100.01", reference="FT1"), booked()
    assert "No approved record has this amount" in text_of(finance.get(page(line)))
    with assert_no_table_changes():
        refused = finance.post(page(line, "match", "deposit", deposit.pk), {"seen": "{}"})
    assert messages_of(refused)[-1] == (
        "The deposit is 100.00 KES, and the line 100.01 KES. No changes were made."
    )
    for kind in ("withdrawal", "movement"):
        assert finance.get(page(line, "match", kind, deposit.pk)).status_code == 404


def test_a_deposit_is_proposed_from_a_line_with_what_it_says(office, finance):
    organisation, _ = make_participants()
    line = make_line("1500.25", reference="FT9")
    form = office.get(page(line, "propose_deposit")).context["form"]
    assert form["reference"].value() == "FT9"
    body = {
        "organisation": organisation.pk, "reference": "FT9", "note": WHY,
        # Of a page that was tampered with.
        "amount": "9", "currency": "NGN",
    }  # fmt: skip
    done = office.post(page(line, "propose_deposit"), body)
    assert messages_of(done)[-1] == "Proposed. A second person must confirm it."
    deposit = Deposit.objects.get()
    assert f"{deposit.amount:.2f} {deposit.currency_id}" == "1500.25 KES"
    shown = text_of(office.get(page(line)))
    assert "Proposed" in shown
    submit_confirmation(finance, page(deposit, "confirm"), reason="Checked the whole statement")
    line.refresh_from_db()
    assert (line.status, line.deposit_id) == ("Matched", deposit.pk)
    with assert_no_table_changes():
        late = office.post(page(line, "propose_deposit"), body)
    assert messages_of(late)[-1] == "The line is matched. No changes were made."


def test_errors_of_a_proposal_stay_in_its_form(office):
    line = make_line()
    organisation, member = make_participants()
    with assert_no_table_changes():
        shown = text_of(office.post(page(line, "propose_deposit"), {"reference": "x"}))
        assert "Choose an organisation or a member" in shown
    assert (organisation, member) is not None


@pytest.mark.parametrize(
    ("direction", "kinds"), [("CRDT", ["draw_down", "fee_payout"]), ("DBIT", ["top_up"])]
)
def test_a_movement_is_proposed_from_a_line(maker, checker, direction, kinds):
    make_member_wallet(5000)
    move(terms("top_up", 1000, reference="FLOAT"))
    line = make_line("70", direction, reference="BR-7")
    form = maker.get(page(line, "propose_movement")).context["form"]
    assert [value for value, _ in form.fields["kind"].choices] == kinds
    assert "bought_amount" not in form.fields
    body = {"kind": kinds[0], "reference": "BR-7", "note": WHY, "charge": "2"}
    maker.post(page(line, "propose_movement"), body)
    movement = TreasuryMovement.objects.get(reference="BR-7")
    assert (movement.kind, f"{movement.amount:f} {movement.charge:f}") == (
        kinds[0], "70.00000000 2.00000000",
    )  # fmt: skip
    submit_confirmation(checker, page(movement, "confirm"))
    line.refresh_from_db()
    assert (line.status, line.movement_id) == ("Matched", movement.pk)
    assert page(line) in checker.get(page(movement)).content.decode()


@pytest.mark.parametrize(
    ("direction", "kind", "booked"),
    [("DBIT", "bank_charge", "Less than booked"), ("CRDT", "correction", "More than booked")],
)
def test_an_adjusting_entry_is_proposed_from_a_line(maker, checker, direction, kind, booked):
    line = make_line("70", direction)
    form = maker.get(page(line, "propose_entry")).context["form"]
    assert (form["kind"].initial, form["direction"].initial) == (kind, booked.split()[0].lower())
    account = "expenses" if kind == "bank_charge" else "fees"
    body = {"kind": kind, "account": account, "note": WHY, "direction": "more", "amount": "1"}
    assert "Proposed. A second person must confirm it." in messages_of(
        maker.post(page(line, "propose_entry"), body)
    )
    entry = AdjustingEntry.objects.get()
    assert (f"{entry.amount:f}", entry.get_direction_display()) == ("70.00000000", booked)
    submit_confirmation(checker, page(entry, "confirm"), reason=WHY)
    line.refresh_from_db()
    assert (line.status, line.adjustment_id) == ("Matched", entry.pk)
    assert page(line) in checker.get(page(entry)).content.decode()


def test_a_line_is_set_aside_and_opened_again(finance):
    line = make_line("5", "DBIT")
    assert "Propose deposit" not in text_of(finance.get(page(line)))
    refused = text_of(submit_confirmation(finance, page(line, "set_aside"), reason="fee"))
    assert "at least 15 letters" in refused
    submit_confirmation(finance, page(line, "set_aside"), reason=WHY)
    shown = text_of(finance.get(page(line)))
    assert WHY in shown
    submit_confirmation(finance, page(line, "reopen"))
    line.refresh_from_db()
    assert line.status == "Open"


def test_only_buttons_that_a_person_may_use_are_shown(office, finance, auditor):
    line = make_line()
    shown = {
        name: text_of(client.get(page(line)))
        for name, client in (("office", office), ("finance", finance), ("auditor", auditor))
    }
    buttons = ("Propose deposit", "Propose treasury movement", "Set aside")
    found = {name: [each for each in buttons if each in text] for name, text in shown.items()}
    assert found == {
        "office": ["Propose deposit", "Set aside"],
        "finance": ["Propose treasury movement", "Set aside"],
        "auditor": [],
    }
    assert finance.get(page(line, "propose_deposit")).status_code == 403
    assert office.get(page(line, "propose_movement")).status_code == 403
    assert office.get(page(line, "propose_entry")).status_code == 403
    for name in (
        "propose_deposit",
        "propose_movement",
        "propose_entry",
        "set_aside",
        "reopen",
        "remove_match",
    ):
        with assert_no_table_changes():
            assert auditor.post(page(line, name)).status_code == 403
    assert auditor.get(reverse(UPLOAD)).status_code == 403


def listed(client: Client, **query: str) -> list[str]:
    shown = client.get(reverse(LIST), query).context["cl"].result_list
    return [f"{line.amount:.2f}" for line in shown]


def test_the_list_has_views_filters_and_sums(finance):
    make_account("Naira", "NG01", "NGN")
    first = make_line("100.00", day="2026-11-03", reference="FT-A")
    fee = make_line("7.00", "DBIT", day="2026-11-02")
    import_camt(entry("8", currency="NGN", day="2026-10-01"), number="NG01", currency="NGN")
    set_aside(line_id=fee.pk, reason=WHY, user=make_matcher())
    assert listed(finance) == ["100.00", "-7.00", "8.00"]
    assert listed(finance, status__exact="Open") == ["100.00", "8.00"]
    assert listed(finance, status__exact="Set aside") == ["-7.00"]
    assert listed(finance, account_id=str(first.account_id)) == ["100.00", "-7.00"]
    assert listed(finance, currency__code__exact="NGN") == ["8.00"]
    assert listed(finance, day_from="2026-11-02", day_to="2026-11-02") == ["-7.00"]
    assert listed(finance, amount_from="7", amount_to="8") == ["-7.00", "8.00"]
    assert listed(finance, file_id=str(first.file_id)) == ["100.00"]
    for term in ("FT-A", "100"):
        assert listed(finance, q=term) == ["100.00"]
    shown = text_of(finance.get(reverse(LIST)))
    assert "Lines Money in Money out 2 100.00 KES 7.00 KES 1 8.00 NGN 0.00 NGN" in shown
    assert "Sums by currency" not in text_of(finance.get(reverse(LIST), {"q": "nothing"}))


def test_a_list_too_long_to_add_up_shows_no_sums(finance, monkeypatch):
    make_line("1", reference="A")
    make_line("2", reference="B")
    monkeypatch.setattr("wallets.bank_statements.admin.lines.COUNT_LIMIT", 2)
    assert "Sums by currency" not in text_of(finance.get(reverse(LIST)))
    assert "Sums by currency" in text_of(finance.get(reverse(LIST), {"q": "A"}))


def queries_of(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


@pytest.mark.slow
def test_pages_cost_the_same_for_one_row_as_for_many(finance):
    line = make_line("1", reference="L0", day="2026-11-02")
    file = upload(document(statement(entry("3"))))
    lists = [reverse(f"admin:wallets_{name}_changelist")
             for name in ("statementline", "statementfile", "ownbankaccount")]  # fmt: skip
    booked("1", "R0")
    addresses = [*lists, page(line), page(file)]
    few = [queries_of(finance, address) for address in addresses]
    make_account("More", "NG01", "NGN")
    import_camt(*(entry("1", reference=f"N{n}") for n in range(5)))
    for number in range(1, 4):
        booked("1", f"R{number}")
        upload(document(statement(entry("3"))))
    assert [queries_of(finance, address) for address in addresses] == few


def test_the_dashboard_says_what_is_open(finance):
    assert "Bank statement lines without a match" not in text_of(finance.get("/admin/"))
    make_line("100", day="2026-11-03")
    make_line("7", "DBIT", day="2026-11-02")
    shown = text_of(finance.get("/admin/"))
    assert "Oldest booked 2026-11-02. 100.00 KES in, 7.00 KES out" in shown
