"""Rates of the tax that is withheld of income, and what owners are for tax, by two people."""
