"""The tour: a purchase and a withdrawal against a running service, as a client would do them.

`steps` are the steps, `market` those of the purchase; `client` calls the API, `receiver` receives
webhooks. What staff and banks decide is set at the sandbox (`/v1/sandbox`). Nothing here imports
the service's code or uses its database.
"""
