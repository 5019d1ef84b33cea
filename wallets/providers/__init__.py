"""Payment providers: the neutral protocol (`base`), Flutterwave v3, and a local sandbox of it.

Providers know no models, wallets or rules of withdrawals; services interpret their responses.
"""
