"""axe-core on the pages of the back office that can be opened, with a record of every model.

`make test-slow` takes one page in ten, `make accessibility` all of them.
"""

import os

import pytest

from exchange.staff.models import StaffUser
from tests.assertions.addresses import addresses
from tests.assertions.permission_matrix import OUTSIDE
from tests.browser.test_accessibility import add_session, page_faults
from tests.factories.every_record import make_every_record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser, pytest.mark.slow]

STEP = 1 if "EVERY_PAGE" in os.environ else 10


@pytest.mark.timeout(3600)
def test_no_page_has_violations(page, live_service, provider_sandbox):
    records = make_every_record()
    add_session(page, live_service, StaffUser.objects.get(username="owner"))
    opened, found = 0, {}
    for address in addresses(records)[::STEP]:
        response = page.request.get(address.path)
        is_page = response.status == 200 and "html" in response.headers["content-type"]
        if address.name not in OUTSIDE and is_page:
            page.goto(address.path)
            opened += 1
            if faults := page_faults(page):
                found[address.name] = faults
    assert opened > 150 / STEP
    assert found == {}
