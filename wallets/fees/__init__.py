"""Fees, minimums, rates and thresholds, each with the instant from which it holds."""
