"""`/v1/sandbox`: outcomes that a client sets, so that its own tests need no member of staff.

Only `config.settings.local` mounts these addresses, where the payment provider is the sandbox; no
module of production imports this package, and a contract of the imports keeps it so. An outcome is
set by the services that staff and the provider's webhook use, with their rules, events and audit.
Where staff decide, the people of `people` do, who exist on such installations only; where the
provider decides, its sandbox is instructed over HTTP (`provider`), and our client asks it. No clock
is moved: `docs/decisions/0066-sandbox-outcomes.md`.
"""
