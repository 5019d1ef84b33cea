"""Building blocks of every back-office page, independent of any subject."""
