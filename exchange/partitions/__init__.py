"""Monthly partitions of tables that grow with time, and the retention of old months."""
