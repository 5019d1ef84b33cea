"""Reads camt.053 of ISO 20022 (bank to customer statement), of every version.

`CdtDbtInd` of an entry says where the money went, and `RvslInd` only that an earlier entry was
reversed: a debit with the indicator gives back a credit. An entry is one line, also where it has
several transactions. Document types are refused, and with them the entities that expand.
"""

import re
from datetime import date, datetime
from decimal import Decimal
from xml.etree import ElementTree as ET

from wallets.bank_statements.entries import (
    BookedEntry,
    Statement,
    check_closing,
    check_count,
    check_entry,
    clean,
)
from wallets.bank_statements.errors import UnreadableStatement

_NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:"
_AMOUNT = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,8})?")
_SIGNS = {"CRDT": 1, "DBIT": -1}
_NOT_BOOKED = frozenset({"PDNG", "INFO", "FUTR"})
# An entry of a bank has about 60 elements of 20 bytes or more each: 10 MiB never have so many.
_MAX_DEPTH, _MAX_ELEMENTS = 30, 1_000_000
_PIECE = 64 * 1024


def read_camt(data: bytes) -> list[Statement]:
    """Return the statements of a file. Raises `UnreadableStatement`, naming the place."""
    reader = _Reader()
    parser = ET.XMLParser(target=reader)  # noqa: S314 - the target refuses document types
    try:
        for start in range(0, len(data), _PIECE):
            parser.feed(data[start : start + _PIECE])
        parser.close()
    except ET.ParseError as error:
        line, column = error.position
        raise UnreadableStatement(
            f"The XML is damaged or cut off at line {line}, character {column + 1}"
        ) from error
    except (LookupError, ValueError) as error:
        raise UnreadableStatement("The encoding that the XML names is not supported") from error
    if not reader.statements:
        raise UnreadableStatement("The file has no statement")
    return reader.statements


class _Reader(ET.TreeBuilder):
    """Makes statements of the XML as it is read; an entry is let go once it was read."""

    def __init__(self) -> None:
        super().__init__()
        self.statements: list[Statement] = []
        self._known: dict[tuple[str, ...], Statement] = {}
        self._open: list[str] = []
        self._entries: list[tuple[str, BookedEntry]] = []
        self._count = self._elements = 0

    def doctype(self, *_names: str | None) -> None:
        """Refuse a document type: a statement has none."""
        raise UnreadableStatement("The file has a document type (DOCTYPE), as no statement has")

    def start(self, tag: str, attrs: dict[str, str], /) -> ET.Element:
        namespace, _, name = tag.rpartition("}")
        if not self._open and not (
            name == "Document" and namespace.startswith(f"{{{_NAMESPACE}camt.053.")
        ):
            found = namespace.removeprefix(f"{{{_NAMESPACE}")[:20] or f"<{name[:20]}>"
            raise UnreadableStatement(f"The file is {found}, not camt.053")
        self._open.append(name)
        self._elements += 1
        if len(self._open) > _MAX_DEPTH or self._elements > _MAX_ELEMENTS:
            raise UnreadableStatement("The XML is nested too deeply, or has too many elements")
        return super().start(name, attrs)

    def end(self, tag: str, /) -> ET.Element:
        element = super().end(tag.rpartition("}")[2])
        path = self._open[1:]
        self._open.pop()
        if path == ["BkToCstmrStmt", "Stmt", "Ntry"]:
            self._count += 1
            check_count(self._count)
            self._read_entry(element)
            element.clear()
        elif path == ["BkToCstmrStmt", "Stmt"]:
            self._read_statement(element)
            element.clear()
        return element

    def _read_entry(self, entry: ET.Element) -> None:
        place = f"Entry {self._count}"
        status = _status(entry)
        if status in _NOT_BOOKED:
            return
        if status not in {"BOOK", ""}:
            raise UnreadableStatement(f"{place} has an unknown status, {clean(status)[:35]}")
        amount = _signed(place, entry)
        if not amount:
            return
        booked, value = _day(place, entry, "BookgDt"), _day(place, entry, "ValDt")
        booked_on, value_on = booked or value, value or booked
        if booked_on is None or value_on is None:
            raise UnreadableStatement(f"{place} has no booking date")
        details = entry.findall("NtryDtls/TxDtls")
        only = details[0] if len(details) == 1 else None
        other = "Dbtr" if amount > 0 else "Cdtr"
        found = BookedEntry(
            booked_on=booked_on,
            value_on=value_on,
            amount=amount,
            bank_reference=_first(entry, "AcctSvcrRef")
            or _first(only, "Refs/AcctSvcrRef")
            or _first(entry, "NtryRef"),
            payment_reference=_end_to_end(only),
            counterparty=_first(only, f"RltdPties/{other}/Pty/Nm", f"RltdPties/{other}/Nm"),
            description=" ".join(
                [
                    *(each.text or "" for each in entry.findall(".//RmtInf/Ustrd")),
                    _first(entry, "AddtlNtryInf"),
                ]
            ),
            is_reversal=_first(entry, "RvslInd") in {"true", "1"},
        )
        self._entries.append((_currency(entry), check_entry(place, found)))

    def _read_statement(self, found: ET.Element) -> None:
        name = clean(_first(found, "Id"))[:35]
        place = f"Statement {name or len(self.statements) + 1}"
        number = _first(found, "Acct/Id/IBAN", "Acct/Id/Othr/Id").replace(" ", "").upper()
        if not number:
            raise UnreadableStatement(f"{place} names no account")
        balances = found.findall("Bal")
        currencies = {currency for currency, _ in self._entries}
        currencies |= {_currency(each) for each in balances}
        currencies |= {_first(found, "Acct/Ccy")} - {""}
        if len(currencies) != 1:
            raise UnreadableStatement(f"{place} has amounts in no currency, or in several")
        entries = [entry for _, entry in self._entries]
        self._entries = []
        opening = _balance(place, balances, "OPBD", "PRCD", last=False)
        closing = _balance(place, balances, "CLBD", last=True)
        balanced = opening is not None and closing is not None
        if opening is not None and closing is not None:
            check_closing(place, opening, entries, closing)
        statement = Statement(number, currencies.pop(), entries, balanced)
        page = _first(found, "StmtPgntn/PgNb")
        key = (number, statement.currency, name, page, _first(found, "ElctrncSeqNb"))
        if key in self._known:
            if not name or self._known[key] != statement:
                raise UnreadableStatement(f"{place} is in the file twice, with other entries")
            return
        self._known[key] = statement
        self.statements.append(statement)


def _first(element: ET.Element | None, *paths: str) -> str:
    """Return the text of the first of `paths` that has one, or ""."""
    found = (element.findtext(path) for path in paths) if element is not None else ()
    return next((text.strip() for text in found if text and text.strip()), "")


def _status(entry: ET.Element) -> str:
    """Return the status: text until version 7, a code from version 8 on."""
    return _first(entry, "Sts/Cd", "Sts/Prtry", "Sts")


def _end_to_end(details: ET.Element | None) -> str:
    text = _first(details, "Refs/EndToEndId")
    return "" if text == "NOTPROVIDED" else text


def _currency(element: ET.Element) -> str:
    amount = element.find("Amt")
    return "" if amount is None else amount.get("Ccy", "")


def _signed(place: str, element: ET.Element) -> Decimal:
    text, direction = _first(element, "Amt"), _first(element, "CdtDbtInd")
    if not _AMOUNT.fullmatch(text):
        raise UnreadableStatement(f"{place}: the amount is not a number with a decimal point")
    if direction not in _SIGNS:
        raise UnreadableStatement(f"{place} is neither a credit nor a debit")
    return Decimal(text) * _SIGNS[direction]


def _day(place: str, element: ET.Element, name: str) -> date | None:
    """Return the day of `name` as the bank wrote it; of a time, the day in the bank's zone."""
    text = _first(element, f"{name}/Dt", f"{name}/DtTm")
    if not text:
        return None
    try:
        return datetime.strptime(text[:10], "%Y-%m-%d").date()  # noqa: DTZ007 - a day has no zone
    except ValueError as error:
        raise UnreadableStatement(f"{place}: a date is not valid") from error


def _balance(place: str, found: list[ET.Element], *codes: str, last: bool) -> Decimal | None:
    """Return the first balance of the first of `codes` that is given, or its last one."""
    for code in codes:
        dated = [
            (_day(place, each, "Dt") or date.min, _signed(f"A balance of {place}", each))
            for each in found
            if _first(each, "Tp/CdOrPrtry/Cd") == code
        ]
        if dated:
            choose = max if last else min
            return choose(dated, key=lambda each: each[0])[1]
    return None
