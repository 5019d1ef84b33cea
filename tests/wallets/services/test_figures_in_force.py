"""Which figure is in force, and who decides about figures, whatever a page checks before."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from exchange.errors import Refused, StateConflict
from exchange.models import StaffUser
from tests.factories.back_office import everything
from tests.factories.loans import as_time_does
from tests.factories.wallets import know_banks, make_staff, make_wallet
from wallets.models import ConfigurationFigure
from wallets.selectors.configuration import withdrawal_fee
from wallets.services import configuration as figures

pytestmark = pytest.mark.django_db

FEE = "KES_WITHDRAWAL_FEE"


@pytest.fixture
def proposer() -> StaffUser:
    return make_staff("propose_configuration")


@pytest.fixture
def approver() -> StaffUser:
    return make_staff("decide_configuration")


def propose(value: int, user: StaffUser, hours: int | None = None) -> ConfigurationFigure:
    when = None if hours is None else timezone.now() + timedelta(hours=hours)
    return figures.propose(
        key=FEE, value=Decimal(value), reason="why", effective_from=when, user=user
    )


def coming(value: int, hours: int, proposer: StaffUser, approver: StaffUser) -> ConfigurationFigure:
    """An approved figure that takes effect in so many hours."""
    figure = propose(value, proposer, hours)
    return figures.approve(figure_id=figure.pk, seen=Decimal(30), user=approver)


def pass_hours(figure: ConfigurationFigure, hours: int) -> None:
    change = f"in_force_from = in_force_from - interval '{hours} hours'"
    as_time_does("wallets_configurationfigure", "USER", change, figure.pk)


def test_of_two_figures_the_one_in_force_later_holds_whichever_was_decided_first(
    proposer, approver
):
    know_banks()
    later = coming(41, 2, proposer, approver)
    sooner = coming(52, 1, proposer, approver)
    assert sooner.decided_at is not None
    assert later.decided_at is not None
    assert sooner.decided_at > later.decided_at
    for figure in (later, sooner):
        pass_hours(figure, 3)
    assert withdrawal_fee("KES") == 41
    # Requests read the figures by a function of their own.
    assert make_wallet(1000).request(500).fee == 41


def test_a_figure_is_not_approved_beside_another_one_in_force_than_was_seen(proposer, approver):
    pass_hours(coming(45, 1, proposer, approver), 2)
    figure = propose(60, proposer)
    before = everything()
    with pytest.raises(StateConflict, match=f"{FEE} is 45 by now"):
        figures.approve(figure_id=figure.pk, seen=Decimal(30), user=approver)
    assert everything() == before
    figures.approve(figure_id=figure.pk, seen=Decimal(45), user=approver)
    assert withdrawal_fee("KES") == 60


def test_nobody_agrees_to_the_withdrawal_of_a_figure_that_they_asked_for(proposer, approver):
    figure = coming(60, 1, proposer, approver)
    figures.ask_to_withdraw(figure_id=figure.pk, user=approver, reason="a slip")
    before = everything()
    with pytest.raises(Refused) as refused:
        figures.agree_to_withdraw(figure_id=figure.pk, user=approver)
    assert refused.value.code == "approver_not_independent"
    assert everything() == before
    figures.agree_to_withdraw(figure_id=figure.pk, user=make_staff("decide_configuration"))
    figure.refresh_from_db()
    assert figure.status == "Withdrawn"
