"""A figure that is coming is withdrawn by two people before it takes effect."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.assertions.unchanged import table_fingerprints
from tests.factories.back_office import confirm, said, text_of, user_of
from tests.factories.configuration_pages import FEE, approve, coming, labels, page, propose
from wallets.fees.models import ConfigurationFigure

pytestmark = pytest.mark.django_db


def test_what_is_coming_is_withdrawn_by_two(office, finance):
    figure = coming(office, finance)
    assert labels(office, figure) == ["Ask to withdraw it"]
    asked = confirm(office, page(figure, "withdraw"), reason="The bank took it back")
    assert said(asked)[-1].startswith("Asked. It takes effect all the same")
    assert labels(office, figure) == ["Keep it"]
    assert labels(finance, figure) == ["Agree to withdraw it", "Keep it"]
    question = finance.get(page(figure, "agree"))
    assert "withdrawn by back-office Why withdraw The bank took it back" in text_of(question)
    confirm(finance, page(figure, "agree"), at=question)
    figure.refresh_from_db()
    assert (figure.status, figure.withdrawn_by) == ("Withdrawn", user_of(finance))
    with connection.cursor() as cursor:
        cursor.execute("SELECT figure_in_force(%s, now() + interval '1 day')", [FEE])
        assert cursor.fetchone() == (50,)
    before = table_fingerprints()
    again = confirm(finance, page(figure, "agree"), at=question)
    assert said(again)[-1] == "The figure is Withdrawn, not Approved. Nothing was done."
    assert table_fingerprints() == before


def test_what_was_asked_for_anew_meanwhile_is_not_agreed_to(office, finance):
    figure = coming(office, finance)
    confirm(office, page(figure, "withdraw"), reason="The bank took it back")
    question = finance.get(page(figure, "agree"))
    confirm(office, page(figure, "keep"))
    confirm(office, page(figure, "withdraw"), reason="A slip of the pen")
    before = table_fingerprints()
    refused = confirm(finance, page(figure, "agree"), at=question)
    told = "Why withdraw was The bank took it back and is A slip of the pen"
    assert told in said(refused)[-1]
    assert table_fingerprints() == before


def test_nobody_agrees_to_what_they_asked_for_and_keeping_ends_the_asking(office, finance):
    figure = coming(office, finance)
    confirm(finance, page(figure, "withdraw"), reason="Changed my mind")
    before = table_fingerprints()
    refused = confirm(finance, page(figure, "agree"))
    told = "Somebody else must agree to what you asked for. Nothing was done."
    assert said(refused)[-1] == told
    assert table_fingerprints() == before
    confirm(finance, page(figure, "keep"))
    figure.refresh_from_db()
    assert (figure.status, figure.withdrawal_asked_by) == ("Approved", None)


def test_what_is_in_force_is_not_withdrawn(office, finance):
    propose(office)
    figure = ConfigurationFigure.objects.get()
    approve(finance, figure)
    before = table_fingerprints()
    told = said(confirm(office, page(figure, "withdraw"), reason="no"))
    assert told[-1].startswith("The figure is in force already. Please propose another one.")
    assert table_fingerprints() == before
