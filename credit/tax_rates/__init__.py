"""Rates of the tax that is withheld of income, decided by two people."""
