"""What investments pay: schedules of interest, and distributions from proposal to payment."""
