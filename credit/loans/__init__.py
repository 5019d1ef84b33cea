"""Loans: making, repaying, collateral, servicing, ending."""
