"""Streams of books, trades and tickers by Server-Sent Events, served by a process of their own.

`channels` reads what a client asks for, `reading` what has changed in PostgreSQL, `hub` sends it to
the readers of the process, and `api` admits them.
"""
