"""Portfolios: the token holdings of members."""
