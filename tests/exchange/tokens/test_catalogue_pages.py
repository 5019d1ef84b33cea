"""Pages of a long catalogue: the same by every route, far beyond one block,
and at the same price whatever their size.
"""

from collections.abc import Iterator

import pytest

from exchange.tokens.filters import TokenSearchFilters
from exchange.tokens.models import Token
from exchange.tokens.selectors import catalogue
from exchange.tokens.selectors.catalogue import catalogue_page, to_catalogue_query
from tests.factories.api_clients import ApiCaller, make_caller, make_organisation
from tests.factories.tokens import bare_token, fill_tokens
from tests.factories.withdrawals import round_trips

pytestmark = pytest.mark.urls("tests.environment.api_urls")

LIST = "/v1/api/tokens"
SEARCH = "/v1/api/token/search"


@pytest.fixture(scope="module")
def filled(module_rows: None) -> Iterator[None]:
    """2,600 tokens; the cache is cleared at the end."""
    fill_tokens(1, 2600)
    yield
    catalogue._caches.clear()


@pytest.mark.parametrize("sort", ["-created_at", "created_at", "name", "-name"])
@pytest.mark.parametrize("search", [{}, {"name": "fund"}, {"exited": "true"}, {"symbol": "t"}])
@pytest.mark.one_in(5)
def test_pages_beyond_a_block_are_the_same_by_every_route(filled, sort, search):
    organisation = make_organisation().id
    filters = TokenSearchFilters(search, queryset=Token.objects.all())
    assert filters.is_valid()
    asked = to_catalogue_query(filters.qs.order_by(sort))
    found = Token.objects.filter(deal_access="Public").order_by(
        sort, "-id" if sort.startswith("-") else "id"
    )
    if "name" in search:
        found = found.filter(name__contains="Fund")
    if "exited" in search:
        found = found.filter(exited=True)
    documents = list(found.values_list("document", flat=True))
    limit = 30
    pages = list(range(len(documents) // limit + 2))
    for order in (pages, pages[::-1], [pages[-3], *pages], [35, 34, 33, 0, 66, 67]):
        # The cache of a process that has just started.
        catalogue._caches.clear()
        for number in order:
            offset = number * limit
            page = catalogue_page(asked, organisation, offset=offset, limit=limit)
            wanted = documents[offset : offset + limit]
            assert page.text == ",".join(wanted)
            assert (page.total, page.count) == (len(documents), len(wanted))


@pytest.fixture(scope="module")
def issuer(filled: None) -> ApiCaller:
    """An issuer of 450 tokens, every second one a private deal."""
    caller = make_caller(["tokens:read"])
    Token.objects.bulk_create(
        bare_token(caller.organisation, deal_access="Private" if n % 2 else "Public")
        for n in range(450)
    )
    return caller


@pytest.mark.parametrize("path", [LIST, SEARCH, f"{SEARCH}?name=token", f"{LIST}?sort=name&page=2"])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.one_in(3)
def test_a_large_page_takes_as_many_round_trips_as_a_small_one(
    issuer: ApiCaller, path, own, tmp_path
):
    caller = issuer if own else make_caller(["tokens:read"])
    round_trip_counts = {}
    for limit in (1, 20, 200):
        sign = "&" if "?" in path else "?"
        address = f"{path}{sign}limit={limit}"
        for _ in range(3):  # statements are prepared, and the key's last use is written
            assert caller.get(address).json()["data"]["count"] == limit
        with round_trips(tmp_path) as responses:
            caller.get(address)
        round_trip_counts[limit] = len(responses)
    # Authentication, and the page with its version.
    assert round_trip_counts == {1: 2, 20: 2, 200: 2}
