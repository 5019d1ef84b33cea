"""Restore and rotation, carried out with the commands of docs/operations on real servers."""
