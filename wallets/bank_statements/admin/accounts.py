"""Own bank accounts in the admin, and how their banks write CSV."""

from typing import Any
from uuid import UUID

import msgspec
from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from exchange.admin.base import Section, Tool, staff_of
from exchange.admin.columns import column
from exchange.admin.custom_pages import AddFormAdmin
from exchange.admin.forms import bind_form
from exchange.core.models import Currency
from wallets.bank_statements.csv_files import (
    DATE_FORMATS,
    DECIMAL_SIGNS,
    DELIMITERS,
    ENCODINGS,
    Layout,
)
from wallets.bank_statements.models import OwnBankAccount
from wallets.bank_statements.services.accounts import add_account, save_layout
from wallets.bank_statements.services.permission import MATCH


class AccountForm(forms.Form):
    """An account of the exchange at a bank."""

    name = forms.CharField(max_length=100, help_text="As staff know it: bank and purpose")
    currency = forms.ModelChoiceField(queryset=Currency.objects.all())
    number = forms.CharField(
        max_length=50, help_text="The IBAN, or the number as camt.053 files of the bank have it"
    )


def _heading(label: str, **options: Any) -> forms.CharField:
    return forms.CharField(label=label, max_length=100, required=False, **options)


class LayoutForm(forms.Form):
    """How a bank writes CSV: the look of values, and the headings of columns."""

    encoding = forms.ChoiceField(choices=ENCODINGS.items())
    delimiter = forms.ChoiceField(choices=DELIMITERS.items())
    decimal = forms.ChoiceField(label="Decimal sign", choices=DECIMAL_SIGNS.items())
    date_format = forms.ChoiceField(label="Dates", choices=DATE_FORMATS.items())
    date = _heading("Booking date")
    value_date = _heading("Value date")
    amount = _heading("Amount", help_text="With a sign. Or else debit and credit")
    debit = _heading("Debit")
    credit = _heading("Credit")
    debits_signed = forms.BooleanField(label="Debits have a minus sign", required=False)
    bank_reference = _heading("Bank's reference", help_text="Unique at the bank, if it has one")
    payment_reference = _heading("Payer's reference")
    counterparty = _heading("Payer or payee")
    description = _heading("Description")
    balance = _heading("Balance", help_text="After each line. Proves that no line is missing")

    groups = [
        (None, ["encoding", "delimiter", "decimal", "date_format"]),
        (
            "Headings of the columns in the file; leave empty what it does not have",
            [*Layout.COLUMNS[:5], "debits_signed", *Layout.COLUMNS[5:]],
        ),
    ]


@admin.register(OwnBankAccount)
class OwnBankAccountAdmin(AddFormAdmin):
    add_permission = MATCH
    add_label = "Add account"
    record_pages = ("layout",)
    list_display = ("name", "number_display", "currency", "layout_display")
    fields = (
        "name", "number_display", "currency", "layout_display", "created_by", "created_at",
    )  # fmt: skip

    number_display = column("number", lambda row: row.masked_number)
    layout_display = column("CSV layout", lambda row: "Saved" if row.layout else "None")

    def tools(self, request: HttpRequest, obj: OwnBankAccount) -> list[Tool]:
        if not self.may(request, MATCH):
            return []
        return [Tool("Change CSV layout", self.address("layout", obj.pk))]

    def sections(self, request: HttpRequest, obj: OwnBankAccount) -> list[Section]:
        form = LayoutForm(initial=obj.layout or {})
        rows = [(field.label, _shown(field)) for field in form if field.initial]
        return [Section("CSV layout", ("Value", "In the file"), rows, empty="None saved.")]

    def add_page(self, request: HttpRequest) -> HttpResponse:
        """Add an account, whose statements are then imported."""
        return self.form_page(
            request,
            bind_form(request, AccountForm),
            lambda data: add_account(
                name=data["name"],
                number=data["number"],
                currency=data["currency"].code,
                user=staff_of(request),
            ),
            title="Add an own bank account",
            submit="Add",
            done="Account added.",
        )

    def layout(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Save how the bank writes CSV."""
        account: OwnBankAccount = self.record(request, object_id, MATCH)
        return self.form_page(
            request,
            bind_form(request, LayoutForm, **(account.layout or {})),
            lambda data: save_layout(
                account_id=account.pk,
                layout=msgspec.convert(data, Layout),
                user=staff_of(request),
            ),
            title="CSV layout",
            submit="Save",
            done="CSV layout saved. It is used for files uploaded from now on.",
            record=account,
        )


def _shown(field: Any) -> str:
    """Return a saved value as the form shows it."""
    if isinstance(field.field, forms.ChoiceField):
        choices: Any = field.field.choices
        return str(dict(choices).get(field.initial, field.initial))
    return "Yes" if field.initial is True else str(field.initial)
