"""Shared assertions: the books, the audit, the OpenAPI document, permissions, accessibility."""
