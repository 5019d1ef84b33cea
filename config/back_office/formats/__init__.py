"""How Django writes dates to people; the interface's own format is `exchange.core.timestamps`."""
