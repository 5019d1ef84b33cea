"""Market data of tokens: tickers, and candles of their secondary trades."""
