"""Who calls and what is traded, and how every endpoint answers."""
