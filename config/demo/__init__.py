"""The demo world: invented organisations, people and money for a first look, and a tour of it.

`world` says who and how much, `loader` builds it through the services, `showcase` adds withdrawals
in several states, `file` keeps its credentials in DIR/demo.json, `tour` walks through it over HTTP.
Local installations only; the ledger sees nothing but ordinary deposits and withdrawals.
"""
