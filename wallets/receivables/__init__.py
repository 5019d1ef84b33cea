"""What owners owe after a deposit was taken back; later credits repay it first."""
