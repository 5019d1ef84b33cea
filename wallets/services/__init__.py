"""Rules and transitions of wallets: keyword arguments and an actor in, domain errors out.

Every edge (viewset, admin, task, command, demo) calls the same function for the same transition.
"""
