"""The hosted page on which a customer pays a checkout, as the provider would show it.

Plain forms without scripts. Everything a merchant or a customer wrote is escaped. The customer
returns to `redirect_url?status=&tx_ref=&transaction_id=`; a cancelled checkout has no transaction.
"""

from decimal import Decimal, InvalidOperation
from html import escape
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode, urlsplit, urlunsplit

from config.local.sandbox.collection_rules import (
    BANK_TRANSFER,
    CARD,
    FAILED,
    SUCCESSFUL,
    payment_types,
)
from config.local.sandbox.collection_store import CollectionStore, SandboxPayment
from config.local.sandbox.database import Row
from config.local.sandbox.requests import Request
from config.local.sandbox.responses import Response
from config.local.sandbox.rules import RequestRejected, optional_text, read_amount

PAGE_PREFIX = "/pay/"

_STYLE = (Path(__file__).parent / "checkout.css").read_text(encoding="utf-8")
_STYLE_PATH = f"{PAGE_PREFIX}checkout.css"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_METHOD_NAMES = {BANK_TRANSFER: "Bank transfer", CARD: "Card"}
_MAX_NAME = 100


class CheckoutPage:
    """Pages below `/pay/`. Mobile money is confirmed on the phone, so it ends after `delay`."""

    def __init__(self, store: CollectionStore, delay: float) -> None:
        self._store = store
        self._delay = delay

    def respond(self, request: Request) -> Response:
        """Respond to a request for the page or its style, or to its form."""
        if request.path == _STYLE_PATH and request.method == "GET":
            return Response(200, _STYLE, _HEADERS, "text/css; charset=utf-8")
        checkout = self._store.checkout(token=request.path.removeprefix(PAGE_PREFIX) or "-")
        if checkout is None or request.method not in {"GET", "POST"}:
            return _message(404, "Payment not found", "Ask the merchant for a new payment link.")
        if request.method == "POST":
            return self._submit(checkout, request)
        paid = self._store.payment_of(checkout)
        return _form(checkout, {}, "") if paid is None else _closed(checkout, paid)

    def _submit(self, checkout: Row, request: Request) -> Response:
        paid = self._store.payment_of(checkout)
        if paid is not None:
            return _back(checkout, paid)
        if request.body.get("action") == "cancel":
            return _back(checkout, None)
        try:
            payment = self._read(checkout, request.body)
        except RequestRejected as rejection:
            return _form(checkout, request.body, str(rejection))
        return _back(checkout, self._store.pay_checkout(checkout, payment))

    def _read(self, checkout: Row, form: dict[str, str]) -> SandboxPayment:
        """Parse the form. Raises `RequestRejected`."""
        method = form.get("method", "")
        if method not in payment_types(checkout["currency"]):
            raise RequestRejected("Choose how to pay")
        if form.get("action") not in {"pay", "fail"}:
            raise RequestRejected("Choose Pay, Fail or Cancel")
        amount = Decimal(checkout["amount"])
        payer = ("", "", "")
        if method == BANK_TRANSFER:
            amount = _sent_amount(form.get("amount", ""), amount)
            payer = (_short(form, "payer_name"), _short(form, "payer_bank"), "")
        confirmed_later = method not in {BANK_TRANSFER, CARD}
        return SandboxPayment(
            amount=amount,
            payment_type=method,
            outcome=SUCCESSFUL if form["action"] == "pay" else FAILED,
            due_in=self._delay if confirmed_later else None,
            payer=payer,
        )


def _sent_amount(text: str, requested: Decimal) -> Decimal:
    text = text.replace(",", "").strip()
    if not text:
        return requested
    try:
        return read_amount(Decimal(text))
    except (InvalidOperation, RequestRejected):
        raise RequestRejected(
            "The amount you send must be a number above 0, such as 1500.50"
        ) from (None)


def _short(form: dict[str, str], key: str) -> str:
    text = optional_text(form, key)
    if len(text) > _MAX_NAME or not text.isprintable():
        raise RequestRejected(f"Names have {_MAX_NAME} printable characters at most")
    return text


def _back(checkout: Row, payment: Row | None) -> Response:
    """Return the redirect to the merchant."""
    return Response(303, "", {**_HEADERS, "Location": _return_url(checkout, payment)}, "text/plain")


def _return_url(checkout: Row, payment: Row | None) -> str:
    values = {"status": "cancelled", "tx_ref": checkout["tx_ref"]}
    if payment is not None:
        values |= {"status": payment["status"], "transaction_id": str(payment["id"])}
    parts = urlsplit(checkout["redirect_url"])
    query = "&".join(filter(None, [parts.query, urlencode(values)]))
    address = (parts.scheme, parts.netloc, parts.path, query, parts.fragment)
    return str(urlunsplit(address))


def _form(checkout: Row, form: dict[str, str], problem: str) -> Response:
    currency, amount = checkout["currency"], Decimal(checkout["amount"])
    ways = payment_types(currency)
    chosen = form.get("method") if form.get("method") in ways else ways[0]
    options = "".join(_option(checkout, form, way, checked=way == chosen) for way in ways)
    alert = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    body = f"""{_summary(checkout)}
{alert}<form method="post">
<fieldset><legend>How do you want to pay?</legend>{options}</fieldset>
<div class="actions">
<button name="action" value="pay" class="main">Pay {_money(amount, currency)}</button>
<button name="action" value="fail">Fail the payment</button>
<button name="action" value="cancel" formnovalidate>Cancel</button>
</div></form>"""
    return _page(HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK, "Pay", body)


def _option(checkout: Row, form: dict[str, str], way: str, *, checked: bool) -> str:
    mark = " checked" if checked else ""
    if way == BANK_TRANSFER:
        sent = escape(form.get("amount") or f"{Decimal(checkout['amount']):.2f}")
        details = f"""<p>You can send less or more than requested; what you send arrives.</p>
<label>Amount you send <input name="amount" inputmode="decimal" autocomplete="off" value="{sent}">
</label>{_input(form, "payer_name", "Account holder")}{_input(form, "payer_bank", "Bank")}"""
    elif way == CARD:
        details = "<p>The test card ending in 4242 is charged at once.</p>"
    else:
        details = "<p>The payment stays pending until it is confirmed on the phone.</p>"
    return f"""<div class="way"><label class="choice">
<input type="radio" name="method" value="{way}"{mark}> {_method_name(way)}</label>
<div class="details">{details}</div></div>"""


def _input(form: dict[str, str], name: str, label: str) -> str:
    value = escape(form.get(name, ""))
    return (
        f'<label>{label} (optional) <input name="{name}" maxlength="{_MAX_NAME}"'
        f' autocomplete="off" value="{value}"></label>'
    )


def _closed(checkout: Row, paid: Row) -> Response:
    title = "Payment received" if paid["status"] == SUCCESSFUL else "Payment pending"
    address = escape(_return_url(checkout, paid))
    body = f"""{_summary(checkout)}
<p class="state" role="status">{title}: {_money(Decimal(paid["amount"]), paid["currency"])} by
{_method_name(paid["payment_type"]).lower()}, transaction {paid["id"]}.</p>
<p><a href="{address}" class="button">Return to the merchant</a></p>"""
    return _page(HTTPStatus.OK, title, body)


def _summary(checkout: Row) -> str:
    rows = {
        "Amount": _money(Decimal(checkout["amount"]), checkout["currency"]),
        "Customer": f"{escape(checkout['holder'])}, {escape(checkout['email'])}",
        "Reference": escape(checkout["tx_ref"]),
    }
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows.items())
    return f"<h1>{escape(checkout['title'] or 'Payment')}</h1><dl>{listed}</dl>"


def _method_name(way: str) -> str:
    return _METHOD_NAMES.get(way, "Mobile money")


def _money(amount: Decimal, currency: str) -> str:
    return f"{currency} {amount:,.2f}"


def _message(status: int, title: str, text: str) -> Response:
    return _page(status, title, f"<h1>{escape(title)}</h1><p>{escape(text)}</p>")


def _page(status: int, title: str, body: str) -> Response:
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} | Payment sandbox</title>
<link rel="stylesheet" href="{_STYLE_PATH}"><link rel="icon" href="data:,"></head>
<body><header><p>Payment sandbox <span>No money moves on this page</span></p></header>
<main>{body}</main></body></html>
"""
    return Response(status, page, _HEADERS, "text/html; charset=utf-8")
