"""Lists of the back office as files."""
