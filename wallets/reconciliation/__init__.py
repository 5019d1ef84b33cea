"""Our payouts and money beside the provider's."""
