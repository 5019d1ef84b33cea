"""Composition root: settings, urls, celery, the embedded parts, commands that span apps."""
