"""What staff must be told, until it is resolved."""
