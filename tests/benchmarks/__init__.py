"""Benchmarks: the exchange and its peers, interleaved, on one database.

`make bench` runs them; figures are ratios of medians, because absolutes drift with the machine.
Nothing in the test suite asserts a time.
"""
