"""`make fuzz`: property tests and state machines with new examples."""
