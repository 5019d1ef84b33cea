"""Credit over HTTP."""
