"""The token lists with Django REST framework's stock classes, on our table."""
