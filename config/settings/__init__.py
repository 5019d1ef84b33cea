"""Settings: `base` is shared, `local`, `production` and `test` extend it."""
