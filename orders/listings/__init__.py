"""The lifecycle of a token: listing, raise, closing, exit."""
