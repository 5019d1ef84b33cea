"""Embedded PostgreSQL: a private server in the data directory, used without a DATABASE_URL.

`layout` has its paths and connection settings, `identity` its user; `cluster` creates, starts and
stops it, `keeper` is the process that owns it, `sharing` lets several commands use one server.
Nothing here uses Django.
"""
