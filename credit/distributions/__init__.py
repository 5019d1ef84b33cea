"""What investments pay: schedules of interest, derived from the terms of a token."""
