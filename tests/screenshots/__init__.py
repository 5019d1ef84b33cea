"""`make screenshots`: pictures of every main page of the back office, and what axe says of them."""
