"""Banks: the record of a payout's account, bank lists, lookup of account holders, name matching."""
