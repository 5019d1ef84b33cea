"""Check names and texts against the glossary's retired words (`python -m tests.wording`)."""
