"""A local stand-in for Flutterwave v3 that speaks its wire format over HTTP.

    python -m wallets.providers.sandbox --port 8021 --data DIR --secret-key KEY \\
        --webhook-url URL --webhook-hash HASH --delay SECONDS

or, in a program, `SandboxServer(SandboxOptions(...)).start()`.

What it keeps: transfers, our balance per currency and webhooks still to deliver, in SQLite under
DIR. They survive a kill at any point. Scripted faults and the request log live in memory.

Outcomes. A transfer is NEW, PENDING after half of the delay, and then ends:

- account 0690000036 is refused at once with HTTP 400, "Payout was made to a blacklisted account
  number";
- account 0690000037 ends FAILED, `complete_message` "DISBURSE FAILED: ...", and amount and fee come
  back;
- account 0690000038 ends SUCCESSFUL; `return_delay` later the bank returns the money: look-ups then
  say FAILED with "DISBURSE FAILED: Transfer was returned by the beneficiary bank", a second webhook
  tells so, the amount comes back to our balance and the fee does not (the provider documents no
  form of a return; this is ours);
- a reference ending in `_PMCK` ends SUCCESSFUL, in `_PMCK_ST_F` FAILED, whatever the account;
- everything else ends SUCCESSFUL.

Money beyond our balance is refused: HTTP 400, "Insufficient funds in customer wallet". A balance
starts at 10^12 unless `--float NGN=5000` says otherwise for a new book.

Control endpoints, without a key and outside the wire format:

- `GET /sandbox/health`
- `GET|POST|DELETE /sandbox/faults`: list, add, clear. A fault is `{"fault": kind, "times": 1,
  "match": {"method", "path_prefix", "reference", "account"}}`; what `match` leaves out matches all.
- `GET|DELETE /sandbox/requests`: requests to the wire format with their answers and faults
- `GET /sandbox/transfers`, `GET /sandbox/webhooks`
- `POST /sandbox/settle` `{"reference"?}`: bring one or all open transfers to their outcome now
- `POST /sandbox/return` `{"reference"}`: the bank returns a successful transfer now
- `GET|POST /sandbox/float` `{"currency", "amount"}`: see and set our balance

Kinds of faults; "effect" says whether the request is carried out, and can be set in the fault:

| Kind | Effect | What the client sees | Options |
|---|---|---|---|
| `timeout_before` | no | silence, then the end of the connection | `seconds` |
| `timeout_after` | yes | the same | `seconds` |
| `error_5xx` | no | a page of HTML | `status` (503), `body` |
| `malformed` | yes | HTTP 200 and a body that is not the envelope | `body` |
| `oversized` | yes | a body of that many bytes more | `size` |
| `slow_drip` | yes | the answer, a byte every interval, headers too | `interval` (1) |
| `reset` | no | a reset connection | |
| `rate_limit` | no | 429 with Retry-After | `retry_after` (1, null: no header) |
| `unauthorized` | no | 401 | |
| `wrong_amount` | yes | transfers with an amount one higher | |
| `wrong_reference` | yes | transfers with another reference | |
| `hidden` | yes | an empty list of transfers | |
| `unfiltered` | yes | the list of all transfers, whatever reference was asked for | |
| `short_page` | yes | a list that lacks its last row, its counts unchanged | |
| `repeated_row` | yes | a list with its first row in the place of its last | |
| `broken_row` | yes | a list whose first row has no status | |
| `duplicate_webhook` | | the webhook twice | |
| `forged_webhook` | | first one with a wrong hash and the opposite status, then the true one | |
| `no_webhook` | | no webhook | |

Webhook faults are matched by reference and account when the outcome is reached. A transfer's own
`callback_url` takes the place of `--webhook-url`.
"""

from wallets.providers.sandbox.options import SandboxOptions
from wallets.providers.sandbox.server import SandboxServer

__all__ = ["SandboxOptions", "SandboxServer"]
