"""Questions of staff to an organisation about a record that is to be decided."""
