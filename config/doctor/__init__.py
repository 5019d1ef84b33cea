"""`manage.py doctor`: checks of an installation, each with its remedy."""
