"""`make fuzz`: property tests and state machines with examples that no run had before."""
