"""Bank statements: the lines of the exchange's own bank accounts, and the records they match."""
