"""Embedded PostgreSQL: a private server under the data directory, where no DATABASE_URL is given.

`layout` says where it lives and how to connect (pure functions, nothing is started), `identity`
under which user it runs, `cluster` creates, starts and stops it, `keeper` is the small process
that owns it, `sharing` lets several commands use one server. Nothing here knows Django.
"""
