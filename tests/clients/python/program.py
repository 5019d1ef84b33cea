"""Calls the service with the client that openapi-python-client generated.

The world it acts in comes as JSON in its one argument; what it learned goes to the standard output.
It stands beside the generated package, and mypy reads both.
"""

import json
import sys
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar

from exchange_client import AuthenticatedClient
from exchange_client.api.loans import loans_create
from exchange_client.api.markets import token_orders_list
from exchange_client.api.orders import orders_create, orders_retrieve
from exchange_client.api.tokens import tokens_list
from exchange_client.api.withdrawals import withdrawals_create
from exchange_client.models import (
    CreatedWithdrawalResponse,
    Failure,
    LoanInput,
    LoanInputCollateralsItem,
    LoanInputCurrency,
    LoanResponse,
    OrderInput,
    OrderInputType,
    OrderResponse,
    OrderWithTokenPageResponse,
    TokenOrdersListStatus,
    TokenOrdersListType,
    TokenPageResponse,
    WithdrawalInput,
    WithdrawalInputCurrency,
)

T = TypeVar("T")


@dataclass
class ClientRecords:
    base_url: str
    token: str
    member_id: str
    token_id: str
    loan_configuration_id: str


def done(kind: type[T], answer: object) -> T:
    """The answer, of the type that a success has."""
    if not isinstance(answer, kind):
        raise SystemExit(f"not a {kind.__name__}: {answer}")
    return answer


records = ClientRecords(**json.loads(sys.argv[1]))
client = AuthenticatedClient(base_url=records.base_url, token=records.token)

tokens = done(TokenPageResponse, tokens_list.sync(client=client, limit=200, primary_raise=False))
# The body of the interface: these five fields, and the types demand no other.
withdrawal = done(
    CreatedWithdrawalResponse,
    withdrawals_create.sync(
        client=client,
        body=WithdrawalInput(
            amount=500.5,
            bank_name="Guaranty Trust Bank",
            account_name="Forrest Green",
            account_number="0690000031",
            currency=WithdrawalInputCurrency.KES,
        ),
    ),
).data.withdrawal_request
order = done(
    OrderResponse,
    orders_create.sync(
        client=client,
        body=OrderInput(
            token_id=records.token_id,
            type_=OrderInputType.BUY,
            price=100,
            tokens=2,
            user_id=records.member_id,
        ),
        idempotency_key="python-1",
    ),
).data
listed = done(
    OrderWithTokenPageResponse,
    token_orders_list.sync(
        records.token_id,
        client=client,
        type_=TokenOrdersListType.BUY_LOWER,
        status=TokenOrdersListStatus.ACTIVE,
    ),
)
loan = done(
    LoanResponse,
    loans_create.sync(
        client=client,
        body=LoanInput(
            user_id=records.member_id,
            duration=3,
            currency=LoanInputCurrency.NGN,
            interest_rate=0.3,
            amount="8400",
            repayment_amount="15960",
            collaterals=[LoanInputCollateralsItem(token_id=records.token_id, quantity=105)],
            loan_configuration_id=records.loan_configuration_id,
        ),
    ),
).data
missing = orders_retrieve.sync_detailed("00000000-0000-7000-8000-000000000000", client=client)
failure = done(Failure, missing.parsed)
status: HTTPStatus = missing.status_code

print(
    json.dumps(
        {
            "symbols": [token.symbol for token in tokens.data.tokens],
            "reference": withdrawal.reference,
            "withdrawal_status": withdrawal.status.value,
            "order_id": str(order.field_id),
            "total": listed.meta.total_docs,
            "loan_status": loan.status.value,
            "loan_collateral": loan.collaterals[0].quantity,
            "missing": [int(status), failure.status, failure.message],
        }
    )
)
