"""Orders in plain Python over the ORM: lock, match in a loop, save each row."""
