"""Demo data: invented organisations, people and money, loaded through the services, and a tour.

`data` lists who exists and what they own, `loader` creates it, `lending`, `trading` and
`withdrawals` add records in every state, `credentials_file` stores the credentials in
DIR/demo.json, `tour` exercises the service over HTTP. Local installations only.
"""
