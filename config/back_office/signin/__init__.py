"""Sign-in of staff: password, then a code of a second factor; what a session is good for.

`site` is what the admin site inherits and the one place where every page is guarded; `views` are
the pages, `standing` is what a session knows. Secrets and codes are the business of
`exchange.staff.services.second_factor`, `exchange.staff.services.lockout` stops guessing.
"""
