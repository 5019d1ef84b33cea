"""Power over money: proposed by one person, confirmed by another, for people and API keys."""
