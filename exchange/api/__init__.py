"""The API framework that every endpoint uses: envelope, errors, lists, limits, schema."""
