"""Payment providers: the neutral protocol (`base`), Flutterwave v3, and what its webhooks report.

Providers know no models, wallets or rules of withdrawals; services interpret their responses.
"""
