"""Staff sign-in: password, second factor and session state.

`site` guards every page of the admin site, `views` are the pages, `session_state` is the state of a
session. Secrets and codes: `exchange.staff.services.second_factor`; lock-out:
`exchange.staff.services.lockout`.
"""
