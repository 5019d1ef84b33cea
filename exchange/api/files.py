"""Responses that are files: a document to print or a table for a spreadsheet."""

from django.http import HttpResponse

from exchange.api.operations import File

PDF = File("application/pdf", "A document to print, A4.")
CSV = File("text/csv", "A table for spreadsheets, in UTF-8.")


def file_response(content: bytes, file: File, name: str) -> HttpResponse:
    """Return `content` as a download called `name`."""
    response = HttpResponse(content, content_type=file.media_type)
    if file is CSV:
        response["Content-Type"] = f"{file.media_type}; charset=utf-8"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
