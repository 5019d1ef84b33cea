"""The withdrawal endpoint in plain Django REST framework and ORM: lock, check, seven statements."""
