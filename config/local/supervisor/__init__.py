"""`manage.py up`: every process of a local installation, supervised by one.

`children` runs processes and passes their output on, `guard` ends them when the supervisor itself
is killed, `ports` finds out what is free, `service` says which processes there are.
"""
