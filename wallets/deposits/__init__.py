"""Money in: deposits by hand, virtual account and checkout, and the payments behind them."""
