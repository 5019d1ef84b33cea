"""`make screenshots`: pictures of the back office's main pages, checked with axe."""
