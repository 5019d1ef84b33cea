"""The site: access, headers, and read-only GET requests."""

import re
from html import unescape

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from config.back_office import roles
from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    ROLES,
    SUPPORT,
    apply_roles,
)
from config.books import WALLET_CHECKS
from exchange.core.errors import Conflict, InvalidRequest
from exchange.core.ids import uuid7
from exchange.staff.models import StaffUser
from tests.assertions.unchanged import table_fingerprints
from tests.environment.owner import as_owner
from tests.environment.view_caller import ViewCaller
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.every_record import make_every_record
from tests.factories.logins import sign_in
from tests.factories.staff import create_staff, create_superuser
from tests.factories.wallets import OVERRIDE
from wallets.alerts.models import Alert
from wallets.alerts.services import raise_alert
from wallets.ledger.proof import prove_and_store
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo_records(provider_sandbox):
    organisation, member = make_participants()
    fund(organisation, member, "NGN", "9000000")
    fund(organisation, None, "GHS", "5000")
    client = signed_in_client(ADMINISTRATOR)
    client.post(
        reverse("admin:exchange_apikey_add"),
        {"organisation": str(organisation.pk), "name": "Key", "scopes": ["tokens:read"]},
    )
    decided = make_withdrawal(organisation, member, "NGN", "2000")
    finance = create_staff("decider", "correct horse battery", "Finance approver")
    decisions.approve(withdrawal_id=decided.pk, version=1, approver=finance, override=OVERRIDE)
    make_withdrawal(organisation, None, "GHS", "100")
    raise_alert("float", subject="NGN", message="Too little NGN at the provider")
    prove_and_store(WALLET_CHECKS)


def test_nothing_is_added_changed_or_deleted_but_through_services(demo_records):
    client = Client()
    sign_in(client, create_superuser("owner", password="x"))
    views = ViewCaller(client)
    before = table_fingerprints()
    for model in admin.site._registry:
        if model is StaffUser:
            continue
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        row = model._default_manager.first()
        if row is not None:
            change = views.call("POST", reverse(f"{name}_change", args=[row.pk]))
            assert change.status_code in {403, 405}
            delete = reverse(f"{name}_delete", args=[row.pk])
            assert views.call("POST", delete, {"post": "yes"}).status_code == 403
        views.call(
            "POST",
            reverse(f"{name}_changelist"),
            {"action": "delete_selected", "_selected_action": [str(row.pk)] if row else []},
        )
    assert table_fingerprints() == before


def test_admins_of_libraries_are_not_registered():
    labels = {model._meta.label for model in admin.site._registry}
    assert labels == {
        "credit.Distribution", "credit.Loan", "credit.LoanConfiguration",
        "credit.TaxFactsProposal", "credit.TaxRate",
        "exchange.AccessProposal",
        "exchange.AccessRecord",
        "exchange.ApiKey", "exchange.Change", "exchange.Event", "exchange.Export",
        "exchange.LoggedRequest", "exchange.Member", "exchange.Organisation",
        "exchange.Quote", "exchange.ReadCount", "exchange.StaffUser",
        "exchange.Token", "exchange.WebhookEndpoint",
        "orders.Order", "orders.TermsProposal", "orders.TokenProposal", "orders.Trade",
        "wallets.Account", "wallets.AdjustingEntry", "wallets.Alert",
        "wallets.BankAccount", "wallets.BankList", "wallets.BooksProof", "wallets.Configuration",
        "wallets.SettingChange",
        "wallets.Conversion", "wallets.Decision", "wallets.Deposit",
        "wallets.DepositReversal", "wallets.Entry", "wallets.Freeze",
        "wallets.OwnBankAccount", "wallets.Payment", "wallets.Payout", "wallets.PeriodClose",
        "wallets.Proposal", "wallets.ProviderEvent", "wallets.Receivable",
        "wallets.ReceivableWriteOff", "wallets.Reconciliation",
        "wallets.ReconciliationBreak", "wallets.StatementFile", "wallets.StatementLine",
        "wallets.Transfer", "wallets.TreasuryMovement", "wallets.VirtualAccount",
        "wallets.WalletTransfer",
        "wallets.Withdrawal",
    }  # fmt: skip


def test_strangers_and_users_without_staff_rights_are_sent_to_sign_in():
    stranger = Client()
    person = Client()
    sign_in(person, StaffUser.objects.create_user("person", password="x"))
    for client in (stranger, person):
        for name in ("index", "wallets_withdrawal_changelist", "exchange_apikey_add"):
            response = client.get(reverse(f"admin:{name}"))
            assert response.status_code == 302
            assert response["Location"].startswith("/admin/login/")


def test_the_address_without_its_slash_leads_to_the_admin():
    response = Client().get("/admin")
    assert response.status_code == 302
    assert response["Location"] == "/admin/"


@pytest.mark.usefixtures("provider_sandbox")
def test_the_dashboard_links_to_pending_work():
    make_every_record()
    page = signed_in_client("Finance approver").get(reverse("admin:index"))
    for words in ("Pending withdrawals", "Deposits to confirm", "Settings changes", "Alerts"):
        assert words in text_of(page)
    for address in re.findall(r'href="(/admin/wallets/[a-z]+/\?[^"]*)"', page.content.decode()):
        assert page.client.get(unescape(address)).status_code == 200


def test_staff_without_a_role_see_nothing():
    client = Client()
    sign_in(client, StaffUser.objects.create_user("newcomer", password="x", is_staff=True))
    assert client.get(reverse("admin:index")).status_code == 200
    views = ViewCaller(client)
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
        assert views.call("GET", reverse(name)).status_code == 403


def test_support_sees_the_work_of_customers_and_may_only_comment():
    assert {one for one in ROLES[SUPPORT] if ".view_" not in one} == {"exchange.add_comment"}
    shown = text_of(signed_in_client(SUPPORT).get(reverse("admin:index")))
    for words in ("Pending withdrawals", "Loans"):
        assert words in shown
    for words in (
        "Ledger integrity",
        "Staff users",
        "Alerts",
        "API keys",
        "Exports",
        "Reconciliations",
    ):
        assert words not in shown


def test_pages_carry_the_headers_that_keep_scripts_and_frames_out():
    login = Client().get(reverse("admin:login"))
    index = signed_in_client(AUDITOR).get(reverse("admin:index"))
    for response in (login, index):
        policy = response["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert response["X-Frame-Options"] == "DENY"
        features = response["Permissions-Policy"]
        assert "camera=()" in features
        assert "geolocation=()" in features
        assert b"<script>" not in response.content
    assert "Tokenized Investment Exchange" in text_of(login)


def test_the_session_cookie_is_kept_from_scripts():
    create_staff("ada", "correct horse battery", AUDITOR)
    client = Client()
    client.post(reverse("admin:login"), {"username": "ada", "password": "correct horse battery"})
    cookie = client.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_roles_have_exactly_their_permissions_whatever_they_had_before():
    group = Group.objects.get(name=AUDITOR)
    kept = group.permissions.count()
    with as_owner():
        group.permissions.add(Permission.objects.get(codename="decide_withdrawal"))
        assert apply_roles()
        assert not apply_roles()
    assert group.permissions.count() == kept
    others = group.permissions.exclude(codename__startswith="view_")
    assert set(others.values_list("codename", flat=True)) == {"add_export", "read_every_export"}


def test_an_invalid_role_or_name_creates_no_user():
    create_staff("ada", "correct horse battery", AUDITOR)
    with pytest.raises(Conflict):
        create_staff("ada", "correct horse battery", AUDITOR)
    with pytest.raises(InvalidRequest):
        roles.create_staff("bo", "correct horse battery", "Owner")
    with pytest.raises(InvalidRequest):
        create_staff("no spaces please", "correct horse battery", AUDITOR)
    assert StaffUser.objects.count() == 1


def test_an_alert_is_resolved_once():
    raise_alert("float", subject="NGN", message="Too little NGN at the provider")
    alert = Alert.objects.get()
    address = reverse("admin:wallets_alert_resolve", args=[alert.pk])
    client = signed_in_client("Finance approver")
    asked = client.get(address)
    assert "Message Too little NGN at the provider" in text_of(asked)
    raise_alert("float", subject="NGN", message="Much too little NGN at the provider")
    stale = text_of(submit_confirmation(client, address, at=asked))
    assert "Message was Too little NGN at the provider and is Much too little NGN" in stale
    assert Alert.objects.filter(resolved_at=None).exists()
    asked = client.get(address)
    assert "Raised 2 times" in text_of(asked)
    submit_confirmation(client, address, at=asked)
    alert.refresh_from_db()
    first = alert.resolved_at
    assert first is not None
    reported = messages_of(submit_confirmation(client, address, at=asked))
    assert reported[-1] == "The alert is already resolved. No changes were made."
    alert.refresh_from_db()
    assert alert.resolved_at == first


def test_lists_have_the_width_of_the_page():
    page = signed_in_client("Finance approver").get(reverse("admin:wallets_withdrawal_changelist"))
    assert page.status_code == 200
    assert "nav-sidebar" not in page.content.decode()
    assert reverse("admin:index") in page.content.decode()


def test_error_pages_explain_themselves_without_scripts(office):
    for address, status, words in (
        (reverse("admin:exchange_apikey_add"), 403, "Your role does not allow this page"),
        (reverse("admin:exchange_token_edit", args=[uuid7()]), 404, "Page not found"),
    ):
        reply = office.get(address)
        assert reply.status_code == status
        assert words in text_of(reply)
        # Within the back office, so that one can go on; strangers see the page alone.
        assert 'id="sidebar"' in reply.content.decode()
        assert 'id="sidebar"' not in Client().get("/nothing").content.decode()
        assert not re.search(r"<script(?! src=)|\bon\w+=|style=\"", reply.content.decode())
