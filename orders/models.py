"""Models of orders, trades and the lifecycle of tokens."""

import orders.book.models
import orders.listings.models
import orders.market.models
