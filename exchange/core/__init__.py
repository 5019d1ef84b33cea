"""The kernel that every app uses; it has no subjects, requests or queues."""
