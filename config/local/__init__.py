"""What `make run` adds on one machine: PostgreSQL, a broker of files, the supervisor, secrets."""
