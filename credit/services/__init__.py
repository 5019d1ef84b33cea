"""Rules and transitions of credit."""
