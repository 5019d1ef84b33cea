"""Layout of the back office: no inline scripts, no other hosts, headings, labels, sidebar."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from config.back_office.navigation import BADGE_LIMIT
from config.back_office.roles import ADMINISTRATOR, AUDITOR, BACK_OFFICE, FINANCE_APPROVER
from config.books import WALLET_CHECKS
from tests.environment.view_caller import ViewCaller
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    signed_in_client,
    text_of,
)
from tests.factories.logins import sign_in
from tests.factories.staff import create_superuser
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.ledger.proof import prove_and_store

pytestmark = pytest.mark.django_db

# Attributes in which browsers or libraries look for code.
CODE = ("on", "x-", "hx-", "@", ":", "v-", "data-on")
# What screen readers call a field by.
NAMES = {"aria-label", "aria-labelledby", "title"}


class Page(HTMLParser):
    """The structure of a page."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.faults: list[str] = []
        self.counts: dict[str, int] = {}
        self.ids: list[str] = []
        self.fields: list[dict[str, str]] = []
        self.labelled: set[str] = set()
        self._in: list[str] = []
        self.feed(markup)
        unnamed = [
            field
            for field in self.fields
            if field.get("id", "") not in self.labelled and not NAMES & field.keys()
        ]
        self.faults += [f"no label: {field}" for field in unnamed]
        self.faults += [f"twice: #{one}" for one in set(self.ids) if self.ids.count(one) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.faults += [f"<{tag} {name}>" for name in given if name.startswith(CODE)]
        self.faults += [f"{name}={v}" for name, v in given.items() if "javascript:" in v.lower()]
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "script" and not given.get("src"):
            self.faults.append("<script> without src")
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif tag in {"script", "img", "link", "use", "source", "iframe", "form"}:
            self.loads += [given[name] for name in ("src", "href", "action") if name in given]
        if tag == "label":
            self.labelled.add(given.get("for", ""))
        hidden = given.get("type") in {"hidden", "submit"}
        if tag in {"input", "select", "textarea"} and not hidden and "label" not in self._in:
            self.fields.append(given)
        if tag == "a" and "a" in self._in:
            self.faults.append(f"a link in a link: {given}")
        if tag in {"a", "label"}:
            self._in.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._in:
            self._in.remove(tag)


@pytest.fixture
def walker(provider_sandbox) -> Client:
    """A superuser's client over records of most kinds."""
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "9000000")
    make_withdrawal(organisation, member, "NGN", "2000")
    raise_alert("float", subject="NGN", message="Too little NGN at the provider")
    prove_and_store(WALLET_CHECKS)
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    return client


def kind_of(address: str) -> str:
    """The name of the view; the history of every model is the same page."""
    try:
        name = resolve(address.split("?")[0]).view_name
        return "history" if name.endswith("_history") else name
    except Resolver404:
        return address


def walked(client: Client, of_a_kind: int) -> dict[str, tuple[Any, Page]]:
    """So many pages of every kind reachable from the dashboard, with their structure."""
    waiting = [reverse("admin:index")]
    found: dict[str, tuple[Any, Page]] = {}
    kinds: dict[str, int] = {}
    while waiting:
        address = waiting.pop(0)
        if address in found or not address.startswith("/admin/"):
            continue
        kind = kind_of(address)
        if kinds.get(kind, 0) >= of_a_kind:
            continue
        response = client.get(address)
        if "html" not in response["Content-Type"] or response.status_code != 200:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        page = Page(response.content.decode())
        found[address] = (response, page)
        waiting += [link.split("#")[0] for link in page.links]
    return found


@pytest.mark.slow
def test_no_page_holds_code_every_one_forbids_it_and_has_a_heading_and_a_main_part(walker):
    pages = walked(walker, of_a_kind=2)
    assert len(pages) > 60
    for address, (response, page) in pages.items():
        policy = response["Content-Security-Policy"]
        assert "script-src 'self';" in policy, address
        assert "unsafe-eval" not in policy, address
        assert page.faults == [], address
        assert all(where.startswith(("/", "#", "?")) or not where for where in page.loads), address
        assert not [link for link in page.links if "//" in link], address
        assert page.counts["h1"] == 1, address
        assert page.counts["main"] == 1, address
        assert page.links[0] == "#content", address
        assert "content" in page.ids, address


def test_a_list_of_fifty_rows_is_light():
    organisation, _ = make_participants()
    fund(organisation, None, "NGN", "1000")
    for number in range(60):
        raise_alert("float", subject=str(number), message="Too little at the provider " * 4)
    page = signed_in_client(AUDITOR).get(reverse("admin:wallets_alert_changelist"))
    assert page.content.count(b"<tr>") == 51
    assert len(page.content) < 200_000


@pytest.mark.parametrize("role", [ADMINISTRATOR, AUDITOR, FINANCE_APPROVER])
def test_a_list_loads_its_styles_for_every_role(role):
    page = signed_in_client(role).get(reverse("admin:wallets_withdrawal_changelist"))
    assert 'href="/static/wallets/withdrawals.css"' in page.content.decode()
    placeholder = "Reference (parts: 31 days), account, payee, owner, amount, email or ID"
    assert f'placeholder="{placeholder}"' in page.content.decode()


def test_an_empty_list_names_its_records(auditor):
    alerts = reverse("admin:wallets_alert_changelist")
    assert "No alerts yet." in text_of(auditor.get(alerts))
    assert "No alerts match these filters. Clear filters" in text_of(
        auditor.get(alerts, {"q": "nothing"})
    )


def test_the_sidebar_links_only_to_permitted_lists():
    staff = reverse("admin:exchange_staffuser_changelist")
    for role, expected in ((ADMINISTRATOR, True), (BACK_OFFICE, False)):
        client = signed_in_client(role)
        views = ViewCaller(client)
        page = Page(client.get(reverse("admin:index")).content.decode())
        assert (staff in page.links) is expected, role
        lists = [link for link in page.links if link.count("/") == 4 and "?" not in link]
        assert len(lists) > 20
        for link in lists:
            assert views.call("GET", link).status_code == 200, link


def test_the_sidebar_counts_pending_work_up_to_a_limit(finance):
    address = reverse("admin:wallets_payout_changelist")
    assert b'class="badge"' not in finance.get(address).content
    raise_alert("float", subject="NGN", message="Too little NGN at the provider")
    assert b'<span class="badge">1<' in finance.get(address).content
    Alert.objects.bulk_create(
        Alert(
            kind="float",
            subject=str(n),
            message="Too little",
            raised_at=Alert.objects.get(subject="NGN").raised_at,
        )
        for n in range(BADGE_LIMIT)
    )
    assert b'<span class="badge">99+<' in finance.get(address).content
