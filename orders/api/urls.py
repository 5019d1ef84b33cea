"""Addresses of orders, books and trades, relative to /v1/."""

from __future__ import annotations

from django.urls import path

from orders.api.market import BookView, TokenOrdersView, TradesView
from orders.api.orders import OrdersView, OrderView

urlpatterns = [
    path("orders", OrdersView.as_view()),
    path("orders/<str:order_id>", OrderView.as_view()),
    path("orders/token/<str:token_id>", TokenOrdersView.as_view()),
    path("orders/token/<str:token_id>/book", BookView.as_view()),
    path("orders/token/<str:token_id>/trades", TradesView.as_view()),
]
