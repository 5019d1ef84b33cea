"""Mutation testing of our rules: small faults are put into Python and SQL, one at a time.

`make mutants APP=wallets SAMPLE=100` says which of them the suite notices.
"""
