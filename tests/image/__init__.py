"""The image, built without a container engine, and run as an orchestrator runs it."""
