"""Loan configurations in the back office: proposal, comparison, approval, retirement."""

from decimal import Decimal

import pytest
from django.urls import reverse

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from credit.configurations.models import LoanConfiguration
from credit.configurations.services.configurations import propose_change
from credit.configurations.services.plausibility import find_terms_notices
from exchange.core.ids import uuid7
from exchange.staff.admin.pending import VIEW_ONLY
from tests.assertions.unchanged import assert_no_table_changes
from tests.credit.configurations.pages import decision, form, offer, propose_terms, shown_values
from tests.factories.api_clients import TESTER, make_organisation
from tests.factories.back_office import (
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.loan_configurations import (
    approve_pending,
    make_configuration,
    make_terms,
    pending_version,
)

pytestmark = pytest.mark.django_db

OTHERS = [AUDITOR, BACK_OFFICE, ADMINISTRATOR, FINANCE_APPROVER]


@pytest.mark.slow
def test_terms_beyond_their_band_need_a_reason_of_both():
    made = make_configuration()
    ada, ben = signed_in_client(CREDIT_OFFICER, "ada"), signed_in_client(CREDIT_OFFICER, "ben")
    within = {"collateral_ratio": "64", "interest_rate": "36", "duration": "10"}
    beyond = {**shown_values(ada, made), "interest_rate": "3"}
    shown = "Monthly interest rate: 30 % → 3 % (-90.00 %). Usual is a change of at most 20 %"
    address = page(made, "propose")
    with assert_no_table_changes():
        asked = submit_confirmation(ada, address, **beyond)
        assert f'class="errornote" role="alert">{shown}' in asked.content.decode()
        for note in ("", "x"):
            submit_confirmation(ada, address, at=asked, **beyond, note=note)
    propose_terms(ada, made, **beyond)
    version = pending_version(made)
    assert version.note == "Agreed with the creditor in May"
    assert shown in text_of(ben.get(page(made)))
    asked = ben.get(decision(made, "approve"))
    assert f'class="errornote" role="alert">{shown}' in asked.content.decode()
    with assert_no_table_changes():
        for reason in ("", "yes"):
            submit_confirmation(ben, decision(made, "approve"), at=asked, reason=reason)
    why = "Compared with the signed agreement"
    submit_confirmation(ben, decision(made, "approve"), at=asked, reason=why)
    version.refresh_from_db()
    assert (version.status, version.approval_reason) == ("Approved", why)

    # Exactly at the band nothing is remarkable.
    usual = {**shown_values(ada, made), "interest_rate": "3.6", "min_amount_NGN": "0.34"}
    usual |= {name: within[name] for name in ("collateral_ratio", "duration")}
    done = submit_confirmation(ada, address, **usual)
    assert messages_of(done) == [
        "New terms proposed. They take effect after a second person approves them."
    ]
    assert "errornote" not in ben.get(decision(made, "approve")).content.decode()


def test_a_limit_that_is_lifted_is_beyond_every_band():
    limited = {"NGN": Decimal(5_000_000)}
    made = make_configuration(max_outstanding=limited)
    currency_left_out = make_terms(max_amount={"KES": Decimal(100_000)})
    for terms, notices in (
        (make_terms(), ["Maximum outstanding, NGN: 5,000,000.00 NGN → no limit"]),
        (make_terms(max_outstanding=limited), []),
        (currency_left_out, []),
    ):
        assert find_terms_notices(made, terms) == notices


def test_a_creditor_gives_no_reason_and_the_officer_does():
    made = make_configuration()
    propose_change(
        configuration_id=made.pk, terms=make_terms(interest_rate=Decimal("0.03")), actor=TESTER
    )
    ben = signed_in_client(CREDIT_OFFICER, "ben")
    address = decision(made, "approve")
    with assert_no_table_changes():
        submit_confirmation(ben, address)
    submit_confirmation(ben, address, reason="Asked the creditor by telephone")
    made.refresh_from_db()
    assert made.versions.get(status="Approved").number == 2


def test_one_officer_proposes_and_another_one_approves():
    ada, ben = signed_in_client(CREDIT_OFFICER, "ada"), signed_in_client(CREDIT_OFFICER, "ben")
    assert messages_of(offer(ada)) == [
        "Loan configuration proposed. It can be used after a second person approves it."
    ]
    made = LoanConfiguration.objects.get()
    hers = ada.get(page(made))
    assert "Someone other than the proposer must approve this." in text_of(hers)
    assert b"disabled" in hers.content
    with assert_no_table_changes():
        response = submit_confirmation(ada, decision(made, "approve"))
        message = "Someone other than the proposer must approve this. No changes were made."
    assert messages_of(response)[-1] == message
    his = ben.get(page(made))
    assert "by ada. Eligible approvers: ben." in text_of(his)
    assert b"disabled" not in his.content
    response = submit_confirmation(ben, decision(made, "approve"))
    assert messages_of(response)[-1] == "Approved. These terms are now effective."
    made.refresh_from_db()
    version = made.versions.get()
    assert (made.status, version.status, version.interest_rate) == (
        "Approved",
        "Approved",
        Decimal("0.05"),
    )
    assert version.limits.get().max_amount == Decimal("2000000.50")
    assert version.limits.get().max_outstanding is None


def test_a_stale_page_approves_only_the_version_it_showed():
    ada, ben = signed_in_client(CREDIT_OFFICER, "ada"), signed_in_client(CREDIT_OFFICER, "ben")
    offer(ada)
    made = LoanConfiguration.objects.get()
    seen = decision(made, "approve")
    submit_confirmation(ada, page(made, "propose"), **form(interest_rate="1"))
    with assert_no_table_changes():
        response = submit_confirmation(ben, seen)
    assert messages_of(response)[-1] == (
        "Version 1 is Rejected (replaced by a newer proposal), no longer "
        "Pending. No changes were made."
    )


def test_the_comparison_describes_every_change():
    made = make_configuration(name="Secured")
    terms = make_terms(
        name="Secured",
        access="public",
        interest_rate=Decimal("0.25"),
        investment_categories=["Bond", "Fund"],
        max_amount={"NGN": Decimal(1_000_000), "KES": Decimal(5)},
    )
    propose_change(configuration_id=made.pk, terms=terms, actor=TESTER)
    response = signed_in_client(CREDIT_OFFICER).get(page(made))
    text = text_of(response)
    assert "Effective and proposed terms: 7 of 13 changed" in text
    assert "Effective (version 1) Proposed (version 2) Change" in text
    assert "Monthly interest rate 30 % 25 % changed from 30 % to 25 %" in text
    assert "Maximum LTV 80 % 80 % unchanged" in text
    assert (
        "Eligible collateral Private Business, Bond Bond, Fund"
        " changed added: Fund; removed: Private Business" in text
    )
    assert "Maximum per loan, KES - 5.00 KES changed from none to 5.00 KES" in text
    assert (
        "Maximum per loan, NGN 2,000,000.00 NGN 1,000,000.00 NGN"
        " changed from 2,000,000.00 NGN to 1,000,000.00 NGN" in text
    )
    assert b"<strong>25 %</strong>" in response.content
    assert b"<strong>80 %</strong>" not in response.content


def test_a_default_minimum_follows_the_rate():
    made = make_configuration()
    client = signed_in_client(CREDIT_OFFICER)
    shown = shown_values(client, made)
    assert (shown["interest_rate"], shown["collateral_ratio"]) == ("30", "80")
    assert "min_amount_NGN" not in shown
    propose_terms(client, made, **{**shown, "interest_rate": "1"})
    assert made.versions.get(number=1).limits.get().min_amount == Decimal("0.04")
    assert pending_version(made).limits.get().min_amount == 1
    text = text_of(client.get(page(made)))
    assert "Minimum per loan, NGN 0.04 NGN 1.00 NGN changed from 0.04 NGN to 1.00 NGN" in text


def test_unknown_organisation_ids_are_marked_for_approvers():
    known, unknown = make_organisation("Njia"), uuid7()
    made = make_configuration(access="organisations", organisation_ids=[known.pk, unknown])
    text = text_of(signed_in_client(AUDITOR).get(page(made)))
    assert f"Named organisations Njia, {unknown} (no such organisation)" in text


def test_a_change_starts_from_the_effective_terms():
    borrower = make_organisation("Njia")
    made = make_configuration(
        access="organisations",
        organisation_ids=[borrower.pk],
        max_outstanding={"NGN": Decimal(7_000_000)},
        min_amount={"NGN": Decimal(900)},
    )
    client = signed_in_client(CREDIT_OFFICER)
    body = shown_values(client, made)
    assert body["max_amount_NGN"] == "2,000,000"
    assert body["max_outstanding_NGN"] == "7,000,000"
    assert body["min_amount_NGN"] == "900"
    assert "Njia" in text_of(client.get(page(made, "propose")))
    propose_terms(client, made, **{**body, "duration": "6"})
    version = pending_version(made)
    assert (version.duration, version.proposed_by_label) == (6, "credit-officer")
    assert list(version.organisations.all()) == [borrower]
    assert version.limits.get().max_outstanding == 7_000_000
    assert version.limits.get().min_amount == 900
    assert "1 of 11 change" in text_of(signed_in_client(AUDITOR).get(page(made)))


def test_only_one_change_can_be_pending():
    made = make_configuration()
    client = signed_in_client(CREDIT_OFFICER)
    assert "Propose new terms" in text_of(client.get(page(made)))
    asked = client.get(page(made, "propose"))
    propose_change(configuration_id=made.pk, terms=make_terms(), actor=TESTER)
    assert "Propose new terms" not in text_of(client.get(page(made)))
    with assert_no_table_changes():
        stale = submit_confirmation(client, page(made, "propose"), at=asked, **form())
        message = "Pending approval was none and is version 2"
        assert message in messages_of(stale)[-1]
        assert b'value="Secured"' in stale.content
        response = submit_confirmation(client, page(made, "propose"), at=stale, **form())
    assert "Another change of this loan configuration waits for a decision" in text_of(response)
    assert b'value="Secured"' in response.content


def test_a_rejection_needs_a_reason_for_the_creditor():
    made = make_configuration(approved=False)
    client = signed_in_client(CREDIT_OFFICER)
    with assert_no_table_changes():
        asked = client.get(decision(made, "reject"))
        assert "Monthly interest rate 30 %" in text_of(asked)
        address = decision(made, "reject")
        response = submit_confirmation(client, address, at=asked, reason=" ")
    assert "This field is required." in text_of(response)
    submit_confirmation(client, address, at=asked, reason="Too cheap, checked with the bank")
    with assert_no_table_changes():
        again = submit_confirmation(
            client, address, at=asked, reason="Too cheap, checked with the bank"
        )
    assert messages_of(again)[-1] == (
        "Version 1 is Rejected by credit-officer (Too cheap, checked with the bank), no longer "
        "Pending. No changes were made."
    )
    made.refresh_from_db()
    assert made.status == "Rejected"
    text = text_of(client.get(page(made)))
    assert "Too cheap, checked with the bank" in text
    assert "loan_configuration.rejected" in text


def test_retirement_is_confirmed_first_and_is_final():
    made = make_configuration()
    client = signed_in_client(CREDIT_OFFICER)
    asked = client.get(page(made, "retire"))
    for words in (
        "cannot be undone",
        f"Lender {made.creditor} Status Approved Effective version 1 Pending approval none",
        "Monthly interest rate 30 %",
        "Lending",
    ):
        assert words in text_of(asked), words
    made.refresh_from_db()
    assert made.status == "Approved"
    done = submit_confirmation(client, page(made, "retire"), at=asked)
    assert messages_of(done) == ["Retired. No new loans can be made."]
    made.refresh_from_db()
    assert made.status == "Retired"
    text = text_of(client.get(page(made)))
    assert "Propose new terms" not in text
    with assert_no_table_changes():
        again = submit_confirmation(client, page(made, "retire"), at=asked)
    assert messages_of(again)[-1] == (
        "Only an Approved loan configuration can be retired: it is Retired. No changes were made."
    )


def test_a_configuration_changed_since_the_confirmation_is_not_retired():
    made = make_configuration()
    client = signed_in_client(CREDIT_OFFICER)
    asked = client.get(page(made, "retire"))
    terms = make_terms(interest_rate=Decimal("0.25"))
    propose_change(configuration_id=made.pk, terms=terms, actor=TESTER)
    waiting = submit_confirmation(client, page(made, "retire"), at=asked)
    message = "Pending approval was none and is version 2"
    assert message in messages_of(waiting)[-1]
    approve_pending(made)
    with assert_no_table_changes():
        refused = submit_confirmation(client, page(made, "retire"), at=asked)
    assert "Effective was version 1 and is version 2" in messages_of(refused)[-1]
    assert "Monthly interest rate was 30 % and is 25 %" in messages_of(refused)[-1]


def test_a_version_approved_meanwhile_cannot_be_rejected():
    made = make_configuration()
    terms = make_terms(interest_rate=Decimal("0.25"))
    propose_change(configuration_id=made.pk, terms=terms, actor=TESTER)
    client = signed_in_client(CREDIT_OFFICER)
    address = decision(made, "reject")
    asked = client.get(address)
    approve_pending(made)
    with assert_no_table_changes():
        refused = submit_confirmation(
            client, address, at=asked, reason="Too cheap, checked with the bank"
        )
    assert "Version 2 is Approved" in messages_of(refused)[-1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"collateral_ratio": "150"}, "Maximum LTV must be between 0 and 100 %"),
        ({"collateral_ratio": "0"}, "Maximum LTV must be between 0 and 100 %"),
        ({"collateral_ratio": "NaN"}, "Enter a number such as 12,500.50"),
        ({"interest_rate": "100.01"}, "Monthly interest rate must be between 0 and 100 %"),
        ({"duration": "0"}, "Maximum term must be between 1 and 600 months"),
        ({"grace_period": "366"}, "Grace period must be between 0 and 365 days"),
        ({"duration": "1.5"}, "Enter a whole number."),
        ({"max_amount_NGN": ""}, "Enter a maximum per loan in at least one currency"),
        ({"max_amount_UGX": "1.5"}, "No decimals"),
        (
            {"max_outstanding_KES": "5"},
            "The maximum outstanding cannot be below the maximum per loan",
        ),
        (
            {"min_amount_NGN": "2000001"},
            "The minimum must be above 0 and cannot exceed the maximum",
        ),
        ({"access": "organisations"}, "Name organisations where they decide who may borrow"),
        ({"organisations": ["nonsense"]}, "is not a valid UUID"),
        ({"investment_categories": ["Gold"]}, "Gold is not one of the available choices"),
        ({"name": ""}, "This field is required."),
        ({"creditor": ""}, "This field is required."),
    ],
)
@pytest.mark.one_in(5)
def test_invalid_terms_are_rejected_and_the_input_is_kept(changes, message):
    client = signed_in_client(CREDIT_OFFICER)
    creditor = str(make_organisation().pk)
    with assert_no_table_changes():
        body = form(**{"creditor": creditor, "name": "Kept here", **changes})
        response = client.post(reverse("admin:credit_loanconfiguration_add"), body)
    assert response.status_code == 200
    assert message in text_of(response)
    assert "name" in changes or b'value="Kept here"' in response.content


@pytest.mark.parametrize("role", OTHERS)
def test_other_roles_view_and_are_offered_nothing(role):
    made = make_configuration(approved=False)
    client = signed_in_client(role)
    seen = text_of(client.get(page(made)))
    assert VIEW_ONLY in seen
    assert "Propose new terms" not in seen


def test_pages_change_nothing_by_get_and_nothing_of_another_configuration():
    made, other = make_configuration(approved=False), make_configuration(approved=False)
    client = signed_in_client(CREDIT_OFFICER)
    with assert_no_table_changes():
        for name in ("approve", "reject"):
            assert client.get(decision(made, name)).status_code == 200
            assert client.post(decision(made, name)).status_code == 200
            foreign = reverse(
                f"admin:credit_loanconfiguration_{name}", args=[made.pk, pending_version(other).pk]
            )
            assert client.post(foreign, {"reason": "x, checked with the bank"}).status_code == 404
        assert client.post(page(made), {}).status_code == 405
