"""Loan configurations: lending terms under dual control."""
