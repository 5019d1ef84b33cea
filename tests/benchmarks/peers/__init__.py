"""Peers: plain versions of our endpoints, written without our optimisations."""
