"""Statement files in the admin: uploaded, shown, and imported or discarded."""

from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column, status_column
from exchange.admin.confirmation import Confirmation, ConfirmationAdmin, ConfirmedAction
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.display import age
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.core.currencies import format_money
from exchange.staff.models import StaffUser
from wallets.bank_statements.entries import MAX_BYTES, MAX_LINES
from wallets.bank_statements.models import FileStatus, OwnBankAccount, StatementFile
from wallets.bank_statements.services import files
from wallets.bank_statements.services.permission import MATCH

_SHOWN = 20
_UNPROVEN = (
    "The file has no balances for each account, so it does not prove that no line is missing."
)


class UploadForm(forms.Form):
    """A statement file."""

    file = forms.FileField(
        max_length=150,
        help_text=f"CSV or camt.053 of whole days, at most {MAX_BYTES // 1024 // 1024} MB and"
        f" {MAX_LINES:,} lines",
    )
    account = forms.ModelChoiceField(
        queryset=OwnBankAccount.objects.all(),
        required=False,
        help_text="Of a CSV file. A camt.053 file names its accounts",
    )

    def clean_file(self) -> Any:
        """Return the file. Raises `ValidationError` for one that is too large, unread."""
        file = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            raise ValidationError(files.TOO_LARGE)
        return file


def describe_counts(lines: int, new: int) -> str:
    """Return how many lines a file has: `120 lines: 20 new, 100 known`."""
    return f"{lines:,} {'line' if lines == 1 else 'lines'}: {new:,} new, {lines - new:,} known"


def _ask_to_import(file: StatementFile, _user: StaffUser) -> Confirmation:
    new = sum(len(numbered) for _, numbered in _new_of(file))
    return Confirmation(
        title=f"Import {file}?",
        text="Lines that are not known yet are added. Nothing is booked.",
        submit="Import",
        facts=[
            ("File", file.name),
            ("Days", _days(file)),
            ("Lines", describe_counts(file.lines, new)),
        ],
        blocker=_blocker(file),
    )


def _ask_to_discard(file: StatementFile, _user: StaffUser) -> Confirmation:
    return Confirmation(
        title=f"Discard {file}?",
        text="No line is added. The file can be uploaded again.",
        submit="Discard",
        facts=[("File", file.name), ("Days", _days(file))],
        blocker=_blocker(file),
        final=True,
    )


def _blocker(file: StatementFile) -> str:
    uploaded = file.status == FileStatus.UPLOADED
    return "" if uploaded else f"The file is {file.status.lower()} already"


def _days(file: StatementFile) -> str:
    one = file.first_day == file.last_day
    return str(file.first_day) if one else f"{file.first_day} to {file.last_day}"


def _new_of(file: StatementFile) -> list[tuple[OwnBankAccount, list[tuple[Any, int]]]]:
    return files.find_new(file) if file.status == FileStatus.UPLOADED else []


class FileFilters(ListFilters):
    status__exact = ChoiceFilter("status", FileStatus.choices, title="status")
    day_from, day_to = day_range()


@admin.register(StatementFile)
class StatementFileAdmin(AddFormAdmin, ConfirmationAdmin):
    confirmed_actions = (
        ConfirmedAction(
            "import",
            "file_id",
            (MATCH,),
            _ask_to_import,
            files.import_file,
            lambda file: f"Imported. {describe_counts(file.lines, file.new_lines)}.",
        ),
        ConfirmedAction(
            "discard",
            "file_id",
            (MATCH,),
            _ask_to_discard,
            files.discard_file,
            "Discarded. No line was added.",
        ),
    )
    add_permission = MATCH
    add_label = "Upload file"
    filters = FileFilters
    list_display = (
        "name", "kind", "state_display", "days_display", "lines_display", "new_display",
        "uploaded_by", "uploaded_age",
    )  # fmt: skip
    list_select_related = ("account", "uploaded_by", "handled_by")
    search_fields = ("name",)
    search_help_text = "Name or ID"
    ordering = ("-pk",)
    labels = {"created_at": "uploaded (UTC)", "sha256": "SHA-256"}
    fields = (
        ("name", "kind"), ("state_display", "account"), ("days_display", "lines_display"),
        ("new_display", "balances_display"), ("uploaded_by", "created_at"),
        ("handled_by", "handled_at"), "sha256",
    )  # fmt: skip

    state_display = status_column()
    days_display = column("days", _days, ordering="first_day")
    lines_display = column("lines", lambda file: f"{file.lines:,}", ordering="lines")
    new_display = column(
        "new lines", lambda file: "-" if file.new_lines is None else f"{file.new_lines:,}"
    )
    balances_display = column(
        "balances", lambda file: "Follow from its lines" if file.has_balances else "Not in the file"
    )
    uploaded_age = column("uploaded", lambda file: age(file.created_at), ordering="created_at")

    def warnings(self, obj: StatementFile) -> list[str]:
        shown = obj.status == FileStatus.UPLOADED and not obj.has_balances
        return [_UNPROVEN] if shown else []

    def tools(self, request: HttpRequest, obj: StatementFile) -> list[Tool]:
        if obj.status == FileStatus.UPLOADED and self.may(request, MATCH):
            return [
                Tool("Import", self.address("import", obj.pk)),
                Tool("Discard", self.address("discard", obj.pk)),
            ]
        if obj.status != FileStatus.IMPORTED:
            return []
        lines = reverse("admin:wallets_statementline_changelist")
        return [Tool("New lines", f"{lines}?{urlencode({'file_id': obj.pk})}")]

    def sections(self, request: HttpRequest, obj: StatementFile) -> list[Section]:
        if obj.status != FileStatus.UPLOADED:
            return []
        new = _new_of(obj)
        known = {account.pk: account for account, _ in new}
        entries = ((known[e.account], entry) for e in files.entries_of(obj) for entry in e.entries)
        rows = [
            (
                entry.booked_on,
                account.name,
                format_money(entry.amount, account.currency_id),
                entry.bank_reference or "-",
                ", ".join(filter(None, (entry.counterparty, entry.description))) or "-",
            )
            for account, entry in islice(entries, _SHOWN)
        ]
        counts = describe_counts(obj.lines, sum(len(numbered) for _, numbered in new))
        return [
            Section(
                f"First lines of {counts}",
                ("Booked", "Account", "Amount", "Bank's reference", "Payer, payee, description"),
                rows,
                right=(2,),
                note="Money that arrived is above 0. Compare amounts and days with the file.",
            )
        ]

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Upload a file, whose first lines are then shown."""
        given = (request.POST, request.FILES) if request.method == "POST" else ()
        return self.form_page(
            request,
            UploadForm(*given),
            lambda data: files.upload_file(
                name=data["file"].name,
                data=data["file"].read(),
                account=data["account"],
                user=staff_of(request),
            ),
            title="Upload a bank statement",
            submit="Upload",
            done="File read. Check its first lines, then import it.",
            note="Nothing is added until the file is imported.",
        )
