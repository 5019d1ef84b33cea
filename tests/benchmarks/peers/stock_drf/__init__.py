"""The list of tokens as Django REST framework's own classes make it, on our table."""
