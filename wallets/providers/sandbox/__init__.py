"""A local simulator of Flutterwave v3 that speaks its wire format over HTTP.

    python -m wallets.providers.sandbox --port 8021 --data DIR --secret-key KEY \\
        --webhook-url URL --webhook-hash HASH --delay SECONDS

or, in a program, `SandboxServer(SandboxOptions(...)).start()`.

State: transfers, our balance per currency and undelivered webhooks are stored in SQLite under
DIR and survive a kill at any point. Scripted faults and the request log are in memory.

Outcomes. A transfer is NEW, PENDING after half of the delay, and then:

- account 0690000036 is declined at once with HTTP 400, "Payout was made to a blacklisted account
  number";
- account 0690000037 ends FAILED, `complete_message` "DISBURSE FAILED: ...", and amount and fee are
  returned;
- account 0690000038 ends SUCCESSFUL; `return_delay` later the bank returns the money: the status
  is then FAILED with "DISBURSE FAILED: Transfer was returned by the beneficiary bank", a second
  webhook is sent, and the amount, but not the fee, returns to our balance (the provider does not
  document returns; this form is ours);
- a reference ending in `_PMCK` ends SUCCESSFUL, in `_PMCK_ST_F` FAILED, whatever the account;
- everything else ends SUCCESSFUL.

Transfers beyond our balance are declined: HTTP 400, "Insufficient funds in customer wallet". A new
store starts with balances of 10^12, or as given by `--float NGN=5000`.

Control endpoints, without a key and outside the wire format:

- `GET /sandbox/health`
- `GET|POST|DELETE /sandbox/faults`: list, add, clear. A fault is `{"fault": kind, "times": 1,
  "match": {"method", "path_prefix", "reference", "account"}}`; omitted fields match all.
- `GET|DELETE /sandbox/requests`: requests to the wire format with their responses and faults
- `GET /sandbox/transfers`, `GET /sandbox/webhooks`
- `POST /sandbox/settle` `{"reference"?}`: settle one or all open transfers now
- `POST /sandbox/return` `{"reference"}`: the bank returns a successful transfer now
- `GET|POST /sandbox/float` `{"currency", "amount"}`: see and set our balance

Kinds of faults; "effect" is whether the request is executed, and can be set in the fault:

| Kind | Effect | What the client sees | Options |
|---|---|---|---|
| `timeout_before` | no | no response, then the connection closes | `seconds` |
| `timeout_after` | yes | the same | `seconds` |
| `error_5xx` | no | a page of HTML | `status` (503), `body` |
| `malformed` | yes | HTTP 200 and a body that is not the envelope | `body` |
| `oversized` | yes | a body of that many bytes more | `size` |
| `slow_drip` | yes | the response, one byte per interval, headers too | `interval` (1) |
| `reset` | no | a reset connection | |
| `rate_limit` | no | 429 with Retry-After | `retry_after` (1, null: no header) |
| `unauthorized` | no | 401 | |
| `wrong_amount` | yes | transfers with an amount one higher | |
| `wrong_reference` | yes | transfers with another reference | |
| `hidden` | yes | an empty list of transfers | |
| `unfiltered` | yes | the list of all transfers, whatever the reference | |
| `short_page` | yes | a list without its last row, counts unchanged | |
| `repeated_row` | yes | a list whose last row is replaced by its first | |
| `broken_row` | yes | a list whose first row has no status | |
| `duplicate_webhook` | | the webhook twice | |
| `forged_webhook` | | one with a wrong hash and the opposite status, then the genuine one | |
| `no_webhook` | | no webhook | |

Webhook faults are matched by reference and account when the outcome is reached. A transfer's own
`callback_url` replaces `--webhook-url`.
"""

from wallets.providers.sandbox.options import SandboxOptions
from wallets.providers.sandbox.server import SandboxServer

__all__ = ["SandboxOptions", "SandboxServer"]
