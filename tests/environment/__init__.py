"""What tests run in: PostgreSQL, our programs on real ports, brokers, browsers, callers at once.

Installed as an app under the test settings, so that its `flush` replaces Django's.
"""
