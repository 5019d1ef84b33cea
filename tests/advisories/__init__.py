"""The program behind `make audit`: locked packages with known vulnerabilities."""
