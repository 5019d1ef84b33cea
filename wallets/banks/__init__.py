"""Bank lists, finding a bank and the holder of an account, and comparing names."""
