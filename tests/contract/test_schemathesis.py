"""Every operation of the OpenAPI document, called with generated requests, good and bad.

Whatever is sent, the answer is one the document declares, and never a fault of ours.
"""

from __future__ import annotations

import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.support.generated import hold_to_schema
from tests.support.withdrawals import Desk

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("bank_lists")]


def operations() -> list[tuple[str, str]]:
    """Method and path of everything described, but for the two OAuth addresses."""
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    return [
        (method, path)
        for path, item in paths.items()
        for method in item
        if not path.startswith("/v1/oauth/")
    ]


@pytest.mark.parametrize(("method", "path"), operations())
def test_every_answer_is_a_declared_one(desk: Desk, method: str, path: str) -> None:
    desk.fund("organisation", "KES", "1000000")
    made = desk.made()
    known = {"member_id": str(desk.member.id), "withdrawal_id": made["_id"]}
    hold_to_schema(method, path, desk.caller, known)
