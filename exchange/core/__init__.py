"""The kernel that every app stands on; it knows no subject, no request and no queue."""
