"""The back office as a person uses it: pages, links, and forms filled in and sent."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import pyotp
import requests

from config.demo.tour.client import TourFailed

_TIMEOUT_SECONDS = 15.0
_UNSENT_INPUTS = frozenset({"button", "image", "reset", "file"})


@dataclass
class Button:
    """A submit button: what it says and what it sends."""

    name: str
    value: str
    label: str
    action: str = ""
    form_id: str = ""


@dataclass
class Form:
    """A form with what it would send as it stands: each field's values, in their order."""

    action: str
    method: str
    id: str = ""
    fields: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[Button] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects links and forms; understands what Django's admin writes, not all of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.strays: list[tuple[str, str, str]] = []
        self.stray_buttons: list[Button] = []
        self._form: Form | None = None
        self._button: Button | None = None
        self._select = ""
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        match tag:
            case "a":
                self.links.append(given.get("href", ""))
            case "form":
                self._form = Form(
                    given.get("action", ""), given.get("method", "get").lower(), given.get("id", "")
                )
                self.forms.append(self._form)
            case "input":
                self._input(given, checked="checked" in given)
            case "button" if given.get("type", "submit") == "submit" and "disabled" not in given:
                self._button = _button(given)
            case "select":
                self._select = given.get("name", "")
            case "option" if self._select and "selected" in given:
                self._keep(self._select, given.get("value", ""), "")
            case "textarea":
                self._area = given.get("name", "")
                self._keep(self._area, "", given.get("form", ""))

    def handle_endtag(self, tag: str) -> None:
        match tag:
            case "form":
                self._form = None
            case "button" if self._button is not None:
                self._add(self._button)
                self._button = None
            case "select":
                self._select = ""
            case "textarea":
                self._area = ""

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self._button.label += data
        elif self._area and self._form is not None:
            self._form.fields[self._area][-1] += data

    def _input(self, given: dict[str, str], *, checked: bool) -> None:
        kind = given.get("type", "text").lower()
        if kind == "submit":
            self._add(_button({**given, "label": given.get("value", "")}))
        elif kind in _UNSENT_INPUTS or (kind in {"checkbox", "radio"} and not checked):
            return
        elif given.get("name"):
            self._keep(given["name"], given.get("value", ""), given.get("form", ""))

    def _keep(self, name: str, value: str, form_id: str) -> None:
        if form_id:
            self.strays.append((form_id, name, value))
        elif self._form is not None:
            self._form.fields.setdefault(name, []).append(value)

    def _add(self, button: Button) -> None:
        if button.form_id or self._form is None:
            self.stray_buttons.append(button)
        else:
            self._form.buttons.append(button)


def _button(given: dict[str, str]) -> Button:
    return Button(
        name=given.get("name", ""),
        value=given.get("value", ""),
        label=given.get("label", ""),
        action=given.get("formaction", ""),
        form_id=given.get("form", ""),
    )


class Page:
    """A page that was fetched: its address, text, links and forms."""

    def __init__(self, answer: requests.Response) -> None:
        self.url = answer.url
        self.text = answer.text
        reader = _Reader()
        reader.feed(answer.text)
        self.links = [urljoin(self.url, link) for link in reader.links]
        self.forms = reader.forms
        by_id = {form.id: form for form in self.forms if form.id}
        for form_id, name, value in reader.strays:
            if form_id in by_id:
                by_id[form_id].fields.setdefault(name, []).append(value)
        for button in reader.stray_buttons:
            if button.form_id in by_id:
                by_id[button.form_id].buttons.append(button)

    def link_with(self, text: str) -> str:
        """The first address on the page that contains `text`."""
        for link in self.links:
            if text in link:
                return link
        raise TourFailed(f"{self.url} has no link to {text}")

    def form_with_field(self, name: str) -> Form:
        """The first form with this field."""
        for form in self.forms:
            if name in form.fields:
                return form
        raise TourFailed(f"{self.url} has no form with a field {name}")

    def form_with_button(self, label: str) -> tuple[Form, Button]:
        """The first form with a button that begins with `label`, and the button."""
        for form in self.forms:
            for button in form.buttons:
                if button.label.strip().lower().startswith(label.lower()):
                    return form, button
        raise TourFailed(f"{self.url} has no button {label}")


class BackOffice:
    """One person's session in the back office."""

    def __init__(self, admin_url: str) -> None:
        self._admin_url = admin_url
        self._session = requests.Session()

    def log_in(self, username: str, password: str, totp_secret: str) -> Page:
        """Signs in through both forms; gives the first page."""
        page = self.open(self._admin_url)
        form = page.form_with_field("password")
        page = self.send(page, form, username=username, password=password)
        if any("password" in form.fields for form in page.forms):
            raise TourFailed(f"The back office did not take the password of {username}")
        app = pyotp.TOTP(totp_secret)
        now = int(time.time())
        # A code is good once, and so are its neighbours: somebody may have just signed in.
        for moment in (now - app.interval, now, now + app.interval):
            form = page.form_with_field("code")
            page = self.send(page, form, code=app.at(moment))
            if not any("code" in form.fields for form in page.forms):
                return page
        raise TourFailed(f"The back office did not take the code of {username}")

    def open(self, url: str) -> Page:
        """Fetches a page; TourFailed unless it is answered with 200."""
        return self._page("GET", url)

    def send(self, page: Page, form: Form, button: Button | None = None, **values: str) -> Page:
        """Sends `form` of `page` with `values` filled in; gives the page that follows."""
        content = form.fields | {name: [value] for name, value in values.items()}
        action = form.action
        if button is not None:
            action = button.action or action
            if button.name:
                content[button.name] = [button.value]
        if form.method != "post":
            raise TourFailed(f"A form of {page.url} would change something by GET")
        return self._page("POST", urljoin(page.url, action), content, referer=page.url)

    def _page(
        self, method: str, url: str, content: dict[str, list[str]] | None = None, referer: str = ""
    ) -> Page:
        try:
            answer = self._session.request(
                method, url, data=content, timeout=_TIMEOUT_SECONDS, headers={"Referer": referer}
            )
        except requests.RequestException as error:
            raise TourFailed(f"{method} {url} got no answer ({type(error).__name__})") from error
        if answer.status_code != requests.codes.ok:
            raise TourFailed(f"{method} {url} was answered {answer.status_code}")
        return Page(answer)
