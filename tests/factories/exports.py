"""Exports through the pages, and the content of their files."""

import csv
import io
from typing import Any

from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook


def request_export(client: Client, model: str, query: str = "", **data: str) -> Any:
    """Submit the export form of a list; return the file or the redirect to it."""
    address = reverse(f"admin:{model}_export")
    return client.post(f"{address}?{query}", {"form": "csv", **data})


def file_bytes(response: Any) -> bytes:
    """Return the bytes of a downloaded file."""
    assert response.status_code == 200, response.status_code
    assert response.streaming, response.content.decode()[-2000:]
    data: bytes = b"".join(response.streaming_content)
    assert response["Content-Length"] == str(len(data))
    return data


def read_csv(data: bytes) -> tuple[list[dict[str, str]], str]:
    """Return the rows of a CSV file by heading, and its last line."""
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:-1]], rows[-1][0]


def read_xlsx(data: bytes) -> tuple[list[dict[str, Any]], str]:
    """Return the rows of an XLSX file by heading, and its last line."""
    rows = list(load_workbook(io.BytesIO(data)).worksheets[0].iter_rows(values_only=True))
    found = [dict(zip(map(str, rows[0]), row, strict=True)) for row in rows[1:-1]]
    return found, str(rows[-1][0])
