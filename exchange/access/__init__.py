"""Access proposals: privileged access of users and API keys under two-person approval."""
