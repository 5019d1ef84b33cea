"""Movements of the exchange's own money: float, fee income and conversion positions."""
