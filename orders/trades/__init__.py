"""Lists and pages of trades, which the book writes."""
