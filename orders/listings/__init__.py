"""The life of a token: listing, raise, close, exit."""
