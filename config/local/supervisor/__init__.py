"""`manage.py up`: supervises every process of a local installation.

`service` defines the processes, `children` runs them and forwards their output, `guard` stops them
when the supervisor is killed.
"""
