"""The tour: a purchase and a withdrawal against a running service, as a client would do them.

`steps` are the steps, `market` those of the purchase; `client` calls the API, `backoffice` uses the
back office's forms, `receiver` receives webhooks. Nothing here imports the service's code or uses
its database.
"""
