"""The portfolio in plain Django REST framework: `select_related` and a ModelSerializer."""
