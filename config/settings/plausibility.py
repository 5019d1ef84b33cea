"""How far a proposed number may be from the present one without a reason, in percent."""

from config.settings.environment import env


def bands() -> dict[str, int]:
    """Return the bands by what is proposed."""
    return {
        "quote": env.integer("QUOTE_BAND_PERCENT", default=20, low=0, high=1000),
        "rate": env.integer("RATE_BAND_PERCENT", default=20, low=0, high=1000),
        "spread": env.integer("SPREAD_BAND_PERCENT", default=50, low=0, high=1000),
        "fee": env.integer("FEE_BAND_PERCENT", default=50, low=0, high=1000),
        "limit": env.integer("LIMIT_BAND_PERCENT", default=50, low=0, high=1000),
        "terms": env.integer("LOAN_TERMS_BAND_PERCENT", default=20, low=0, high=1000),
        "deposit": env.integer("DEPOSIT_BAND_PERCENT", default=200, low=0, high=10_000),
        "treasury": env.integer("TREASURY_BAND_PERCENT", default=200, low=0, high=10_000),
    }
