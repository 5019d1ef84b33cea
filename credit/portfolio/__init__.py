"""What a member has invested in."""
