"""How every endpoint answers; it knows no subject."""
