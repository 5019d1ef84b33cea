"""The tables of who may look and act name every address and action, and hold to two rules."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Model

from config.back_office.roles import ROLES
from tests.assertions.addresses import patterns
from tests.assertions.permission_matrix import (
    ACTIONS,
    AUDITOR_LEAVES,
    MODELS,
    OUTSIDE,
    PAGES,
    ROLE_OF,
    expectations,
)


def actions() -> Iterator[tuple[str, str, type[Model]]]:
    """Every action of every list, those that Django brings along as well."""
    registered: dict[type[Model], Any] = dict(admin.site._registry)
    for model, model_admin in registered.items():
        for _, name, _ in model_admin._get_base_actions():
            yield f"{model._meta.app_label}_{model._meta.model_name}", name, model


def test_the_table_covers_exactly_the_existing_urls_and_actions():
    names = {name for name, _ in patterns(admin.site.get_urls())}
    assert names - OUTSIDE - expectations().keys() == set()
    assert expectations().keys() - names == set()
    assert {f"{model}: {action}" for model, action, _ in actions()} == ACTIONS.keys()
    assert set(ROLE_OF.values()) == ROLES.keys()


def test_auditors_only_export_and_administrators_do_not_act_on_money():
    acting = {name for name, (_, act) in PAGES.items() if "A" in act}
    own = {
        "index", "app_list", "view_on_site", "password_change", "second_factor", "recovery_codes",
        "email", "end_sessions", "anything else", "add_passkey", "remove_passkey",
    }  # fmt: skip
    reading = {
        *("exchange_export_progress", "wallets_reconciliation_progress", "exchange_change_export"),
        *("exchange_member_account_statement", "exchange_organisation_account_statement"),
    }
    assert acting == own | reading | AUDITOR_LEAVES.keys()
    assert not [model for model, (_, add) in MODELS.items() if "A" in add]
    about_money = [
        name
        for name, (_, act) in PAGES.items()
        if "D" in act
        and name.startswith(("wallets", "credit", "orders", "exchange_token"))
        and name not in reading
        # A comment moves nothing.
        and not name.endswith("_comment")
    ]
    assert about_money == ["wallets_alert_resolve"]
