"""The reference cluster of docs/cluster, with each node in a network namespace of its own.

`make cluster-test` starts it, sends load through it, injects faults, and checks that nothing that
was acknowledged is lost and nothing is paid twice. Needs root and the Debian packages of
`tests.cluster.cluster.PACKAGES`.
"""
