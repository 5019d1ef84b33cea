"""Adjusting entries: bank charges, corrections and explained breaks, booked by two people."""
