"""Create, rename, activate and deactivate organisations."""

from typing import Any

import pytest

from exchange.core.errors import InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.participants.models import Organisation
from exchange.participants.services.organisations import (
    change_organisation,
    create_organisation,
    set_active,
)
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.api_clients import TESTER

pytestmark = pytest.mark.django_db

EMAIL = "Enter a valid email address."


def stored() -> list[tuple[Any, ...]]:
    return list(Organisation.objects.order_by("created_at").values_list("name", "email", "active"))


def test_only_the_given_organisation_is_changed():
    first = create_organisation(name=" Acme ", email="acme@example.com", actor=TESTER)
    second = create_organisation(name="Bond", actor=TESTER)
    assert stored() == [("Acme", "acme@example.com", True), ("Bond", "", True)]
    for act in (
        lambda: change_organisation(organisation_id=second.pk, name=" Gilt ", email="g@x.example",
                                    actor=TESTER),
        lambda: set_active(organisation_id=second.pk, active=False, actor=TESTER),
        lambda: set_active(organisation_id=second.pk, active=True, actor=TESTER),
    ):  # fmt: skip
        was = Organisation.objects.get(pk=second.pk)
        changed = act()
        second.refresh_from_db()
        assert (changed.pk, changed.active, changed.updated_at) == (
            second.pk, second.active, second.updated_at,
        )  # fmt: skip
        assert second.updated_at > was.updated_at
        assert second.active is not was.active or second.name != was.name
        first.refresh_from_db()
        assert (first.name, first.email, first.active) == ("Acme", "acme@example.com", True)
    assert stored()[1] == ("Gilt", "g@x.example", True)


def test_an_invalid_name_or_email_or_an_unknown_organisation_changes_nothing():
    kept = create_organisation(name="Acme", actor=TESTER)
    unknown: dict[str, Any] = {"organisation_id": uuid7(), "actor": TESTER}
    with assert_no_table_changes():
        for values, fields in (
            ({"name": " ", "email": ""}, {"name": "This field cannot be blank."}),
            ({"name": "Acme", "email": "nowhere"}, {"email": EMAIL}),
        ):
            for act in (
                lambda values=values: create_organisation(**values, actor=TESTER),
                lambda values=values: change_organisation(
                    organisation_id=kept.pk, **values, actor=TESTER
                ),
            ):
                with pytest.raises(InvalidRequest) as refused:
                    act()
                assert refused.value.fields == fields
        for missing in (
            lambda: change_organisation(name="New", email="", **unknown),
            lambda: set_active(active=False, **unknown),
        ):
            with pytest.raises(NotFound, match=r"^Organisation not found$"):
                missing()


@pytest.mark.parametrize("name", ["Ac\u200bme", "\u202eemcA", "Ac\nme"])
def test_a_name_is_one_visible_line(name):
    acme = create_organisation(name="Acme", actor=TESTER)
    with pytest.raises(InvalidRequest, match="name must not contain"):
        create_organisation(name=name, actor=TESTER)
    with pytest.raises(InvalidRequest, match="name must not contain"):
        change_organisation(organisation_id=acme.pk, name=name, email="", actor=TESTER)
    assert stored() == [("Acme", "", True)]
