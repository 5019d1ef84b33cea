"""What the suite is built on: a real PostgreSQL for every worker, and real servers on real ports.

Installed as an app under the test settings, so that its `flush` replaces Django's.
"""
