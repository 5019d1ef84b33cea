"""The token lists with django-ninja, on the stock peer's model and keys."""
