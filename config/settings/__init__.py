"""Settings: `base` holds what every deployment shares; `local`, `production` and `test` differ."""
