"""What tests compare: the books, the audit, the OpenAPI document, permissions, accessibility."""
