"""Plain versions of our endpoints, as a team without our measurements would write them."""
