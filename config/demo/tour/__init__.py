"""The tour: a purchase and the whole story of a withdrawal, played against a running service as a
client would.

`story` tells it, `market` is its first chapter, `client` speaks to the API, `backoffice` fills in
the admin's own forms, `receiver` takes webhooks. Nothing here imports the service's code or touches
its database.
"""
