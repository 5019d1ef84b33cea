"""Payment providers: the neutral protocol (`base`) and Flutterwave v3.

Providers know no models, wallets or rules of withdrawals; services interpret their responses.
"""
