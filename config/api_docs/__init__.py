"""API documentation: the guide, the reference, and the page for trying requests."""
