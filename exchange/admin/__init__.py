"""How every page of the back office is built; it knows no subject."""
