"""Closing of members: refused while anything is left; nothing can be credited until reopened."""
