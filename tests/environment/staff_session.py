"""A client of the back office's pages, links and forms."""

import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import pyotp
import requests

from config.local.demo.tour.client import TourFailed

_TIMEOUT_SECONDS = 15.0
_UNSENT_INPUTS = frozenset({"button", "file", "image", "reset", "submit"})


@dataclass
class Button:
    """A submit button: its label and the field it sends."""

    name: str
    value: str
    label: str = ""


@dataclass
class Form:
    """A form with the current values of its inputs."""

    action: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[Button] = field(default_factory=list)


class _PageParser(HTMLParser):
    """Collects links and forms; supports the tour's pages, not all of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._button: Button | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get").lower())
            self.forms.append(self._form)
        elif tag == "input" and self._form is not None and _is_sent(given):
            self._form.fields.setdefault(given["name"], []).append(given.get("value", ""))
        elif tag == "button" and self._form is not None and "disabled" not in given:
            self._button = Button(given.get("name", ""), given.get("value", ""))
            self._form.buttons.append(self._button)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "button":
            self._button = None

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self._button.label += data


def _is_sent(given: dict[str, str]) -> bool:
    kind = given.get("type", "text").lower()
    ticked = kind not in {"checkbox", "radio"} or "checked" in given
    return "name" in given and ticked and kind not in _UNSENT_INPUTS


class FetchedPage:
    """A fetched page: URL, text, links and forms."""

    def __init__(self, response: requests.Response) -> None:
        self.url = response.url
        self.text = response.text
        reader = _PageParser()
        reader.feed(response.text)
        self.links = [urljoin(self.url, link) for link in reader.links]
        self.forms = reader.forms

    def link_with(self, text: str) -> str:
        """Return the first link that contains `text`."""
        for link in self.links:
            if text in link:
                return link
        raise TourFailed(f"{self.url} has no link to {text}")

    def form_with_field(self, name: str) -> Form:
        """Return the first form with this field."""
        for form in self.forms:
            if name in form.fields:
                return form
        raise TourFailed(f"{self.url} has no form with a field {name}")

    def form_with_button(self, label: str) -> tuple[Form, Button]:
        """Return the first form with a button that begins with `label`, and the button."""
        for form in self.forms:
            for button in form.buttons:
                if button.label.strip().lower().startswith(label.lower()):
                    return form, button
        raise TourFailed(f"{self.url} has no button {label}")


class StaffSession:
    """One person's session in the back office."""

    def __init__(self, admin_url: str) -> None:
        self._admin_url = admin_url
        self._session = requests.Session()

    def log_in(self, username: str, password: str, totp_secret: str) -> FetchedPage:
        """Sign in through both forms; return the first page."""
        page = self.open(self._admin_url)
        form = page.form_with_field("password")
        page = self.send(page, form, username=username, password=password)
        if any("password" in form.fields for form in page.forms):
            raise TourFailed(f"The back office rejected the password of {username}")
        app = pyotp.TOTP(totp_secret)
        now = int(time.time())
        # Codes work once, and a recent sign-in may have used the current one: try its neighbours.
        for moment in (now - app.interval, now, now + app.interval):
            form = page.form_with_field("code")
            page = self.send(page, form, code=app.at(moment))
            if not any("code" in form.fields for form in page.forms):
                return page
        raise TourFailed(f"The back office rejected the code of {username}")

    def open(self, url: str) -> FetchedPage:
        """Fetch a page. Raises TourFailed unless the status is 200."""
        return self._page("GET", url)

    def send(
        self, page: FetchedPage, form: Form, button: Button | None = None, **values: str
    ) -> FetchedPage:
        """Send `form` of `page` with `values`; return the resulting page."""
        content = form.fields | {name: [value] for name, value in values.items()}
        if button is not None and button.name:
            content[button.name] = [button.value]
        if form.method != "post":
            raise TourFailed(f"A form of {page.url} uses GET for a change")
        return self._page("POST", urljoin(page.url, form.action), content, referer=page.url)

    def _page(
        self, method: str, url: str, content: dict[str, list[str]] | None = None, referer: str = ""
    ) -> FetchedPage:
        try:
            response = self._session.request(
                method, url, data=content, timeout=_TIMEOUT_SECONDS, headers={"Referer": referer}
            )
        except requests.RequestException as error:
            raise TourFailed(f"{method} {url}: no response ({type(error).__name__})") from error
        if response.status_code != requests.codes.ok:
            raise TourFailed(f"{method} {url} returned {response.status_code}")
        return FetchedPage(response)
