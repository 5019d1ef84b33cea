"""Payment providers: the neutral protocol (`base`), Flutterwave v3, and a local sandbox of it.

Nothing here knows a model, a wallet or a rule about withdrawals; services decide what answers mean.
"""
