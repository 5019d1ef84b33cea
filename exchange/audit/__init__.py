"""Who changed what, when and through what."""
