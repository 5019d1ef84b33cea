"""The sandbox's hosted page: paid in the browser, and asked with forms that no browser sends."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, expect

from tests.assertions import accessibility as axe
from tests.environment.browser import stray_requests
from tests.wallets.providers.harness import SECRET_KEY, Sandbox

SCRIPT = "<script>document.title='taken'</script>\"'&"
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 860}


@pytest.fixture
def shop() -> Iterator[str]:
    """The address a customer returns to: a page that shows the request's path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<title>Shop</title>Welcome back")

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/back?order=7"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    shown = context.new_page()
    elsewhere = stray_requests(shown)
    problems: list[str] = []

    def note(said: ConsoleMessage) -> None:
        # A form with a mistake is answered with 400, which Chromium reports.
        if not said.text.startswith("Failed to load resource"):
            problems.append(said.text)

    shown.on("console", note)
    yield shown
    context.close()
    assert (elsewhere, problems) == ([], [])


def make_link(sandbox: Sandbox, shop: str = "https://shop.example/", **changes: Any) -> str:
    body: dict[str, Any] = {
        "tx_ref": "deposit_a",
        "amount": 1500.5,
        "currency": "GHS",
        "redirect_url": shop,
        "customer": {"email": "ada@example.com", "name": "Ada Obi"},
        "customizations": {"title": "Wallet top-up"},
    }
    response = requests.post(
        f"{sandbox.base_url}/payments",
        json=body | changes,
        headers={"Authorization": f"Bearer {SECRET_KEY}"},
        timeout=10,
    )
    return str(response.json()["data"]["link"])


def transactions(sandbox: Sandbox) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = sandbox.control("GET", "transactions")
    return rows


def returned(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


def submit(link: str, **form: str) -> requests.Response:
    return requests.post(link, data=form, timeout=10, allow_redirects=False)


@pytest.mark.browser
def test_a_customer_pays_by_bank_transfer_and_returns(sandbox, shop, page):
    link = make_link(sandbox, shop)
    page.goto(link)
    expect(page).to_have_title("Pay | Payment sandbox")
    expect(page.get_by_role("heading", name="Wallet top-up")).to_be_visible()
    expect(page.get_by_label("Bank transfer")).to_be_checked()
    page.get_by_label("Amount you send").fill("1,400")
    page.get_by_label("Account holder").fill("Chidi Okeke")
    page.get_by_role("button", name="Pay GHS 1,500.50").click()
    expect(page).to_have_title("Shop")
    [paid] = transactions(sandbox)
    assert (paid["amount"], paid["payment_type"], paid["status"]) == (
        1400,
        "bank_transfer",
        "successful",
    )
    assert paid["meta"]["originatorname"] == "Chidi Okeke"
    back = {"order": "7", "status": "successful", "tx_ref": "deposit_a"}
    assert returned(page.url) == back | {"transaction_id": str(paid["id"])}
    page.goto(link)
    expect(page.get_by_role("status")).to_contain_text("Payment received: GHS 1,400.00")
    page.get_by_role("link", name="Return to the merchant").click()
    expect(page).to_have_title("Shop")
    assert len(transactions(sandbox)) == 1


@pytest.mark.browser
@pytest.mark.slow
def test_a_customer_fails_cancels_and_pays_with_the_keyboard(sandbox, shop, page):
    link = make_link(sandbox, shop)
    page.goto(link)
    page.get_by_label("Card").check()
    expect(page.get_by_label("Amount you send")).to_be_hidden()
    page.get_by_role("button", name="Fail the payment").click()
    expect(page).to_have_title("Shop")
    assert returned(page.url)["status"] == "failed"
    page.goto(link)
    page.get_by_role("button", name="Cancel").click()
    expect(page).to_have_title("Shop")
    assert returned(page.url) == {"order": "7", "status": "cancelled", "tx_ref": "deposit_a"}
    page.goto(link)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Mobile money")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page).to_have_title("Shop")
    assert returned(page.url)["status"] == "pending"
    page.goto(link)
    expect(page.get_by_role("status")).to_contain_text("Payment pending")
    kinds = [(row["payment_type"], row["status"]) for row in transactions(sandbox)]
    assert kinds == [("mobilemoneyghana", "pending"), ("card", "failed")]


@pytest.mark.browser
@pytest.mark.slow
def test_the_page_is_accessible_narrow_and_dark_and_shows_no_foreign_markup(sandbox, page):
    link = make_link(
        sandbox,
        tx_ref=SCRIPT,
        customizations={"title": SCRIPT * 3},
        customer={"email": "ada@example.com", "name": SCRIPT + "x" * 200},
    )
    found = []
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        page.goto(link)
        found += axe.find_violations(page)
        page.get_by_label("Amount you send").fill(SCRIPT)
        page.get_by_role("button", name="Pay GHS").click()
        expect(page.get_by_role("alert")).to_contain_text("must be a number above 0")
        expect(page.get_by_label("Amount you send")).to_have_value(SCRIPT)
        found += axe.find_violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert page.evaluate("document.scripts.length") == 0
    assert found == []
    assert SCRIPT in page.locator("h1").inner_text()
    assert transactions(sandbox) == []


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({}, "Choose how to pay"),
        ({"method": "card"}, "Choose Pay, Fail or Cancel"),
        ({"method": "mobilemoneykenya", "action": "pay"}, "Choose how to pay"),
        ({"method": "card", "action": "steal"}, "Choose Pay, Fail or Cancel"),
        ({"method": "bank_transfer", "action": "pay", "amount": "-1"}, "a number above 0"),
        ({"method": "bank_transfer", "action": "pay", "amount": "NaN"}, "a number above 0"),
        ({"method": "bank_transfer", "action": "pay", "amount": "1e400"}, "a number above 0"),
        ({"method": "bank_transfer", "action": "pay", "payer_name": "x" * 101}, "100 printable"),
        ({"method": "bank_transfer", "action": "pay", "payer_bank": "a\x00"}, "100 printable"),
    ],
)
def test_a_form_that_makes_no_sense_is_shown_again(sandbox, form, problem):
    response = submit(make_link(sandbox), **form)
    assert response.status_code == 400
    assert problem in response.text
    assert transactions(sandbox) == []


def test_the_page_is_not_cached_framed_or_scripted(sandbox):
    link = make_link(sandbox)
    for response in (requests.get(link, timeout=10), submit(link, action="cancel")):
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["", "x", "0" * 32, "../v3/balances", "%00", "checkout.css/x"])
def test_an_unknown_link_is_a_page_that_says_so(sandbox, path):
    response = requests.get(f"{sandbox.server.url}/pay/{path}", timeout=10)
    assert response.status_code in {401, 404}
    assert "deposit" not in response.text


def test_a_checkout_is_paid_once_by_many_at_the_same_time(sandbox):
    link = make_link(sandbox)
    answers: list[requests.Response] = []
    threads = [
        threading.Thread(target=lambda: answers.append(submit(link, method="card", action="pay")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(transactions(sandbox)) == 1
    assert {answer.status_code for answer in answers} == {303}
    back = {returned(answer.headers["Location"])["transaction_id"] for answer in answers}
    assert (len(answers), back) == (8, {"1"})


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"&" * 5_000, b"a=1&" * 50, b"method=card" * 9])
def test_bytes_that_are_no_form_do_no_harm(sandbox, capfd, raw):
    response = requests.post(make_link(sandbox), data=raw, timeout=10)
    assert response.status_code == 400
    many = requests.post(make_link(sandbox), data=b"a=1&" * 101, timeout=10)
    assert many.status_code == 400
    assert transactions(sandbox) == []
    assert "Traceback" not in capfd.readouterr().err
