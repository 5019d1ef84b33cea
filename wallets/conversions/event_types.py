"""Event types of conversions."""

EVENT_TYPES = {"conversion.completed": "Money of a wallet was converted into another currency"}
