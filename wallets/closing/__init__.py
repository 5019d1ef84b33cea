"""Closing of members: refused while anything is left; afterwards nothing can be credited."""
