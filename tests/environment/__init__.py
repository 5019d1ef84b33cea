"""The test environment: PostgreSQL, our programs on real ports, brokers, browsers, concurrency.

Installed as an app under the test settings, so that its `flush` command replaces Django's.
"""
