"""Rules and transitions of orders and raises."""
