"""`manage.py doctor`: what an operator cannot see elsewhere before going live, with remedies."""
