"""What the OpenAPI document says of the whole API: its introduction, its parts, ids in paths."""

from __future__ import annotations

from typing import Any

from credit.configurations.errors import ConfigurationNotFound
from credit.configurations.examples import CONFIGURATION_ID
from credit.loans.errors import LoanNotFound
from credit.loans.examples import LOAN_ID
from exchange.api.schema_parts import PathId
from exchange.core.examples import EVENT_ID, MEMBER_ID, TOKEN_ID, WITHDRAWAL_ID
from exchange.events.errors import EventNotFound
from exchange.participants.errors import UserNotFound
from exchange.tokens.errors import TokenNotFound
from orders.book.errors import OrderNotFound
from orders.book.examples import ORDER_ID
from wallets.withdrawals.errors import WithdrawalNotFound

# In the order of the document; viewsets name theirs.
TAGS = {
    "Access": "Access tokens by the OAuth 2.0 client credentials grant (RFC 6749 §4.4).",
    "Members": "The people your organisation acts for.",
    "Tokens": "The catalogue of tokenized investments.",
    "Orders": "Placing, reading and cancelling orders.",
    "Markets": "What everybody who sees a token sees of its market.",
    "Investments": "Units of tokens that your organisation and its members hold.",
    "Loans": "Loans against units of tokens, from quote to repayment.",
    "Loan configurations": "The terms loans are made on.",
    "Wallets": "Balances and statements of your organisation's wallet and its members'.",
    "Withdrawals": "Payouts to bank accounts.",
    "Banks": "Banks that can be paid, and who holds an account.",
    "Webhook": "Where your events are posted, and the secret that signs them.",
    "Events": "What happened to your records, and whether it was delivered.",
}

PATH_IDS = {
    "configuration_id": PathId("loan configuration", CONFIGURATION_ID, ConfigurationNotFound()),
    "event_id": PathId("event", EVENT_ID, EventNotFound()),
    "loan_id": PathId("loan", LOAN_ID, LoanNotFound()),
    "member_id": PathId("member", MEMBER_ID, UserNotFound(), owner="a member"),
    "order_id": PathId("order", ORDER_ID, OrderNotFound()),
    "token_id": PathId("token", TOKEN_ID, TokenNotFound()),
    "withdrawal_id": PathId("withdrawal", WITHDRAWAL_ID, WithdrawalNotFound()),
}

GUIDE = """
An exchange for tokenized investments, with credit and payouts to bank accounts.

**Access.** Get an access token at `POST /v1/oauth/token` with `grant_type=client_credentials` and
your client id and secret (Basic, or in the body); send it as `Authorization: Bearer …`. It lives
an hour. `scope` narrows it to some of the key's scopes. A revoked key, and every key of a
deactivated organisation, stops working with the next request.

**Answers.** Successes are `{"status": "success", "message", "data"}`, order lists also have
`meta`; failures are `{"status": "failed", "message"}` with a stable name for programs in the header
`X-Error-Code`. Every answer has `X-Request-ID`: your own, when you sent one of at most 128 letters,
digits and `. _ : -`. `Accept` is not looked at.

**Requests.** Bodies are JSON objects of at most 64 KiB and 20 levels; one that has not arrived
after 10 seconds is a 408. Amounts are JSON numbers,
read and written exactly, from 0 to 10^15; more decimals than the currency has are refused, never
rounded. Text is taken as it is sent: not trimmed, and without control characters. Unknown fields
are ignored; a field given twice in one object is a 400. A GET with a query parameter that the
address does not know is a 400 that names the nearest one it does know, and so is a parameter
without a value, or given twice: a misspelt filter never returns everything. Other methods, and the
OAuth addresses, read no query parameters.

**Idempotency.** A money-moving POST, and the DELETE that cancels an order, take an
`Idempotency-Key` of 1 to 255 printable ASCII characters, kept for 24 hours for your organisation,
the method and the path (without the query). The same request again gets the first answer, marked
`Idempotent-Replayed: true`; with another body it is a 422. While the first one runs, the second
waits up to 10 seconds, then gets a 409. A refusal is not kept: correct what was wrong and send the
same key again.

**Lists.** `page` counts from 1; `limit` is 20 unless given and 200 at most (more counts as 200).
Anything but a whole number from 1 is a 400; a page past the end is empty, with true totals. `sort`
takes the listed fields, named as in the record, `-` in front for descending; the id breaks ties.
Flags are `true`, `false`, `1` or `0`, and listed values match, in any case. A filter by an id that
does not exist finds nothing. Lists of dated records take `created_from` and `created_to`, and where
records change `updated_from` and `updated_to`. Both ends are included, at the precision that times
are printed with: a record is found at its own printed time. They are ISO 8601 times with their
offset, or dates, which stand for the whole day in UTC: `created_from=2026-11-22` and
`created_to=2026-11-22` together are that day.

**Tokens.** `/v1/api/tokens` lists what can be invested in: `closed` and `exited` are `false` unless
given, and cancelled tokens never show. `/v1/api/token/search` finds tokens in any state, cancelled
ones too (`cancelled` says so): `name` by the beginnings of its words, in any order and any case,
taking only letters and digits to be parts of words; `symbol` from its start, in any case.
`private=true` means `type` Private, `false` Public; `primary_raise=true` tokens still in primary
raise, `false` those in secondaries. A token with `deal_access` Private exists for its issuer and
for organisations granted access only. Totals are exact at the moment of the answer. Fees, carry,
discount, interest and dividend are percent, `tenor` days, `milestone` the percent raised as text,
`price.exchange` units of the currency for one USD. `min` and `max` bound the price of an order of a
side, `min_trade` and `max_trade` its value; 0 is no bound. `vol` is units traded per side.

**Orders.** `amount` is `price` times `meta.tokens`. Placing reserves: a buy the value and the most
its fee can be, a sell the units. Matching is price, then time, at the resting order's price, in the
same instant; the answer shows what was filled. After every fill a buyer has paid the value of all
fills of the order plus the fee, rounded up to the currency's decimals, and a seller has received
the value less the fee, rounded down: splitting an order gains nothing. A fill worth less than the
smallest amount of the currency is not made. An order that meets one of its own owner's has its rest
cancelled; an organisation and its keys are one owner. In a primary raise only buys are taken, at
`price.buy` or above, and units cost `price.buy`. Lists of orders sort by `createdAt`, `price` or
`amount`, what an order keeps from its first to its last day: a page does not shift because an order
further on was filled. Cancelling twice with one `Idempotency-Key` gives the first answer again; an
order that is over by then is a 409.

**Loans.** Collateral counts at `price.sell`, which staff set; trades never change it. A missing
or old price refuses, it never counts as zero. Units bought in a raise that is still open are not
pledged. A quote tells every rule that would refuse; whether the creditor has the money is told to
the creditor alone, so that a loan to anybody else's member may be refused with `not_funded` after a
good quote. Ids of organisations that a loan configuration names are kept as they are sent, whether
or not there are such organisations. `amount` and `repayment_amount` are strings of
digits, perhaps with a point, or numbers. Who lends to its own members may ask for less than its
terms give; for all others `repayment_amount` is exactly amount times (1 + `interest_rate` times
`duration`). Repayments go to interest first. `repayment_date` is written as JavaScript prints a
date in West Africa time. Collateral is released as long as what stays covers the principal owed,
and not while two people decide about liquidating the loan (409). Paying then still counts: it
passes less to the creditor, and a loan repaid in full is COMPLETED, whatever was proposed.

**Events.** What happens to withdrawals, orders, trades, loans and loan configurations is told to
the webhook of the organisation it concerns, at least once and in no promised order;
`/v1/api/events` has all of it. A trade is told to both sides, a loan to the borrower's
organisation and to its creditor. Who acted is `{"role", "id"}`: for staff of the exchange a role
and an opaque id, `staff_…`, the same in every event, never a login or a name; for a key of yours
`API key`, its client id and its `name`. A `reason` is what staff wrote for you to read.

**Limits.** Where limits are on, answers carry `X-RateLimit-Limit`, `-Remaining` and `-Reset`
(seconds), of the tightest limit that the request counted against; beyond it the answer is a 429
with `Retry-After`. Minutes are counted from the full minute. A token request with the right
secret counts against its key's limit alone; wrong secrets are counted for the address they come
from, which gets a 429 `slow_down` beyond its limit.
""".strip()


def introduce(result: dict[str, Any], **_unused: Any) -> dict[str, Any]:
    """Add the introduction and the parts."""
    result["info"]["description"] = GUIDE
    result["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    return result
