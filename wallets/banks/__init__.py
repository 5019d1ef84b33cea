"""Bank lists, lookup of banks and account holders, and name matching."""
