"""A local simulator of Flutterwave v3 that speaks its wire format over HTTP.

    python -m config.local.sandbox --port 8021 --data DIR --secret-key KEY \\
        --webhook-url URL --webhook-hash HASH --delay SECONDS

or, in a program, `SandboxServer(SandboxOptions(...)).start()`.

State: transfers, virtual accounts, checkouts, transactions, our balance per currency and
undelivered webhooks are stored in SQLite under DIR and survive a kill at any point. Scripted faults
and the request log are in memory.

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
store starts with balances of 10^12 (USD: 0), or as given by `--float NGN=5000`.

Money in. A virtual account is in NGN or GHS: permanent, for any number of payments of any amount
under the one `tx_ref`, or for one payment of an `amount`. A BVN is checked and not kept. Responses
leave out some fields in GHS, as those of real banks do. `POST /v3/payments` gives the address of a
page, `/pay/TOKEN`, on which a customer pays by bank transfer (any amount), card or mobile money,
lets the payment fail, or cancels, and returns to `redirect_url`. Mobile money stays pending for
`--delay`. After a failed payment the page can be used again, after any other it cannot.

`app_fee` is 1.4 % of a bank transfer (at most 2,000 in NGN), 2.5 % of mobile money and 3.8 % of a
card payment, rounded half up to cents. `charged_amount` equals `amount`, `merchant_fee` is 0, and
`amount_settled`, `amount` less `app_fee`, is added to our balance. A refund takes its amount from
our balance; so does a chargeback, which also sends a second webhook. It makes the transaction
`failed` (the provider does not document this; the form is ours), or leaves it `successful` and is
listed by `GET /v3/chargebacks`.

Control endpoints, without a key and outside the wire format:

- `GET /sandbox/health`
- `GET|POST|DELETE /sandbox/faults`: list, add, clear. A fault is `{"fault": kind, "times": 1,
  "match": {"method", "path_prefix", "reference", "account"}}`; omitted fields match all.
- `GET|DELETE /sandbox/requests`: requests to the wire format with their responses and faults
- `GET /sandbox/transfers`, `GET /sandbox/webhooks`
- `POST /sandbox/settle` `{"reference"?, "status"?}`: settle one or all open transfers now, as
  SUCCESSFUL or FAILED where `status` says so
- `POST /sandbox/hold` `{"reference", "held"?}`: keep a transfer that is still to come open until it
  is settled, or no longer
- `POST /sandbox/return` `{"reference"}`: the bank returns a successful transfer now
- `GET|POST /sandbox/float` `{"currency", "amount"}`: see and set our balance
- `GET /sandbox/accounts`, `GET /sandbox/checkouts`, `GET|DELETE /sandbox/transactions`
- `POST /sandbox/pay` `{"account_number" or "tx_ref" of a checkout, "amount"?, "payment_type"?,
  "payer"? {"name", "bank", "account_number"}, "status"?, "settle_after"?, "webhook"?,
  "webhook_delay"?}`: a customer pays, by default the requested amount at once by bank transfer
  (card in USD). `status` is `successful`, `failed` or `pending`; a payment with `settle_after`
  seconds is pending until then; `webhook` is a kind of webhook fault. The transaction is returned.
- `POST /sandbox/settle-payment` `{"id", "status"?}`: end a pending transaction now
- `POST /sandbox/charge-back` `{"id", "amount"?, "listed"?}`: take a successful payment back; it is
  `failed`, or with `listed` successful with a chargeback, as where `amount` is a part of it
- `GET /sandbox/chargebacks`
- `POST /sandbox/end-chargeback` `{"id", "status"?}`: end a chargeback as `won` (its amount returns)
  or `lost`; `id` is the chargeback's

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
| `wrong_amount` | yes | transfers or transactions with an amount one higher | |
| `wrong_reference` | yes | the same with another reference | |
| `hidden` | yes | an empty list, or no such transaction | |
| `unfiltered` | yes | the list of all, whatever the reference or status | |
| `short_page` | yes | a list without its last row, counts unchanged | |
| `repeated_row` | yes | a list whose last row is replaced by its first | |
| `broken_row` | yes | a list whose first row has no status | |
| `duplicate_webhook` | | the webhook twice | |
| `forged_webhook` | | one with a wrong hash and the opposite status, then the genuine one | |
| `tampered_webhook` | | one with ten times the amount | |
| `misdirected_webhook` | | one with another reference | |
| `delayed_webhook` | | one later | `seconds` |
| `no_webhook` | | no webhook | |

Faults are matched by reference (`reference`, `tx_ref`) and account, those of webhooks when the
outcome is reached. A transfer's own
`callback_url` replaces `--webhook-url`.
"""

from config.local.sandbox.options import SandboxOptions
from config.local.sandbox.server import SandboxServer

__all__ = ["SandboxOptions", "SandboxServer"]
