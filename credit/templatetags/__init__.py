"""What templates of the admin ask of lending."""
