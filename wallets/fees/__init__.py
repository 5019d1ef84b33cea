"""Fees, minimums, rates and approval thresholds, and the dual control of their changes."""
