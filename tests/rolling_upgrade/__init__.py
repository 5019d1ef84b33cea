"""An upgrade under load: old and new processes serve side by side, and no request may fail."""
