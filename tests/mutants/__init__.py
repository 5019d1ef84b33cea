"""Mutation testing of our rules: small changes of Python and SQL, tested one at a time.

`make mutants APP=wallets SAMPLE=100` reports which of them the suite kills.
"""
