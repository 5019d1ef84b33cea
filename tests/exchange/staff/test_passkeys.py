"""Passkeys of staff, with a software authenticator: what is accepted, refused and recorded."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER
from config.local.demo.loader import enrol_second_factor
from exchange.core.errors import Conflict, InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.staff.models import AccessRecord, Passkey, SecondFactor, StaffUser
from exchange.staff.services import passkeys, second_factor
from exchange.staff.services.privileged_access import access_notices
from tests.assertions.statement_results import violated_rule
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.authenticator import Authenticator, with_signature_changed
from tests.factories.logins import access_events, create_login_user
from tests.factories.passkeys import add_passkey, use_passkey

pytestmark = pytest.mark.django_db

NOT_ACCEPTED = "The passkey was not accepted. Try again, or use another way to confirm"
NOT_ADDED = "The passkey could not be added. Try again"
EXPIRED = "The request has expired or was already used. Try again"
OTHER = "http://127.0.0.1:8000"
# What no browser sends.
MALFORMED = ("", "x", "[]", "null", "{}", '{"rawId": 1}', '{"rawId": "%"}', "[" * 9000)


def make_user(name: str = "ada", role: str = FINANCE_APPROVER) -> StaffUser:
    user = create_login_user(role, name)
    enrol_second_factor(user)
    return user


def row_of(user: StaffUser) -> Passkey:
    return Passkey.objects.get(user=user)


def run(statement: str, *values: Any) -> str:
    """Run a statement as the service and check what is deferred; return the rule it violates."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, values)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    except DatabaseError as error:
        return violated_rule(error)
    return ""


# --- adding ---


def test_a_passkey_is_added_with_its_name_and_recorded():
    user = make_user()
    before = timezone.now()
    key = add_passkey(user, "Key in the safe")
    row = row_of(user)
    assert (row.name, bytes(row.credential_id), row.sign_count) == ("Key in the safe", key.id, 1)
    assert before <= row.created_at <= timezone.now()
    assert (row.last_used_at, row.blocked_at) == (None, None)
    record = AccessRecord.objects.latest("id")
    assert (record.event, record.details) == ("passkey_added", "Key in the safe")


@pytest.mark.parametrize(
    "wrong",
    [
        {"verified": False},
        {"present": False},
        {"origin": OTHER},
        {"origin": "http://localhost.evil.example"},
        {"rp_id": "evil.example"},
        {"challenge": "AAAA"},
        {"kind": "webauthn.get"},
    ],
    ids=str,
)
def test_a_passkey_is_not_added_on_a_response_that_is_not_as_requested(wrong: dict[str, Any]):
    user = make_user()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        add_passkey(user, **wrong)
    assert refused.value.message == NOT_ADDED


@pytest.mark.parametrize("credential", MALFORMED)
def test_a_malformed_response_is_refused(credential: str):
    user = make_user()
    challenge = passkeys.new_challenge()
    data: Any = {"user": user, "credential": credential, "challenge": challenge}
    with assert_no_table_changes():
        with pytest.raises(InvalidRequest, match=NOT_ADDED):
            passkeys.add(name="Laptop", **data)
        with pytest.raises(InvalidRequest, match=NOT_ACCEPTED):
            passkeys.verify(**data)


def test_a_passkey_needs_an_earlier_second_factor_a_name_and_a_place():
    user = create_login_user(AUDITOR)
    with assert_no_table_changes(), pytest.raises(Conflict, match="Set up an authenticator app"):
        add_passkey(user)
    enrol_second_factor(user)
    with assert_no_table_changes(), pytest.raises(InvalidRequest, match="name"):
        add_passkey(user, "Lap\ntop")
    keys = [add_passkey(user, f"Key {number}") for number in range(10)]
    with assert_no_table_changes(), pytest.raises(Conflict, match="You have 10 passkeys"):
        add_passkey(user)
    other = make_user("bob")
    with assert_no_table_changes(), pytest.raises(Conflict, match="already added"):
        add_passkey(other, key=keys[0])


def test_without_an_origin_passkeys_are_off(settings):
    user = make_user()
    keys = [add_passkey(user), add_passkey(user)]
    challenge = passkeys.new_challenge()
    response = keys[0].get(passkeys.request_options(user=user, challenge=challenge))
    data: Any = {"user": user, "credential": response, "challenge": challenge}
    settings.PASSKEY_ORIGIN = ""
    assert not passkeys.usable_passkeys(user).exists()
    with assert_no_table_changes():
        with pytest.raises(InvalidRequest, match=NOT_ACCEPTED):
            passkeys.verify(**data)
        with pytest.raises(Conflict, match="not set up in this installation"):
            passkeys.add(name="Laptop", **data)
        with pytest.raises(Conflict, match="Add two passkeys first"):
            passkeys.remove_app(user=user)


# --- use ---


def test_a_passkey_is_accepted_and_its_use_noted():
    user = make_user()
    key = add_passkey(user)
    for count in (2, 3):
        before = timezone.now()
        assert use_passkey(user, key).name == "Laptop"
        row = row_of(user)
        assert row.sign_count == count
        assert row.last_used_at is not None
        assert before <= row.last_used_at <= timezone.now()


@pytest.mark.parametrize(
    "wrong",
    [
        {"verified": False},
        {"present": False},
        {"origin": OTHER},
        {"rp_id": "evil.example"},
        {"challenge": "AAAA"},
        {"kind": "webauthn.create"},
        {"signer": Authenticator()},
    ],
    ids=["not verified", "not present", "origin", "rp id", "challenge", "kind", "signature"],
)
def test_a_response_that_is_not_as_requested_is_not_accepted(wrong: dict[str, Any]):
    user = make_user()
    key = add_passkey(user)
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        use_passkey(user, key, **wrong)
    assert refused.value.message == NOT_ACCEPTED


def test_the_passkey_of_another_person_is_refused_as_an_unknown_one_is():
    ada, bob = make_user(), make_user("bob")
    add_passkey(ada)
    of_bob = add_passkey(bob)
    with assert_no_table_changes():
        for key in (of_bob, Authenticator()):
            with pytest.raises(InvalidRequest) as refused:
                use_passkey(ada, key)
            assert refused.value.message == NOT_ACCEPTED
    assert use_passkey(bob, of_bob).user == bob


@pytest.mark.parametrize("counts", [True, False])
def test_a_response_is_accepted_once(counts: bool):
    """Also where both uses have the challenge of the session, as two at the same time would."""
    user = make_user()
    key = add_passkey(user, key=Authenticator(counts=counts))
    challenge = passkeys.new_challenge()
    response = key.get(passkeys.request_options(user=user, challenge=challenge))
    data: Any = {"user": user, "credential": response, "challenge": challenge}
    passkeys.verify(**data)
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        passkeys.verify(**data)
    assert refused.value.message == EXPIRED
    changed = with_signature_changed(response)
    with assert_no_table_changes(), pytest.raises(InvalidRequest, match=NOT_ACCEPTED):
        passkeys.verify(user=user, credential=changed, challenge=challenge)


@pytest.mark.parametrize("seconds", [-5, 299, 301])
def test_a_challenge_is_good_for_five_minutes(seconds: int):
    user = make_user()
    key = add_passkey(user)
    challenge = passkeys.new_challenge()
    challenge = replace(challenge, issued_at=challenge.issued_at - timedelta(seconds=seconds))
    response = key.get(passkeys.request_options(user=user, challenge=challenge))
    data: Any = {"user": user, "credential": response, "challenge": challenge}
    if seconds == 299:
        passkeys.verify(**data)
        return
    with assert_no_table_changes():
        for refused in (data, {**data, "challenge": None}):
            with pytest.raises(InvalidRequest, match=EXPIRED):
                passkeys.verify(**refused)
        with pytest.raises(InvalidRequest, match=EXPIRED):
            passkeys.add(name="Laptop", **data)


@pytest.mark.parametrize("counter", [0, 4, 5])
def test_a_key_whose_counter_does_not_rise_is_blocked_and_reported(counter: int):
    user, colleague = make_user(), make_user("bob", ADMINISTRATOR)
    key = add_passkey(user)
    use_passkey(user, key, counter=5)
    with pytest.raises(InvalidRequest, match="This passkey is blocked: its counter went back"):
        use_passkey(user, key, counter=counter)
    row = row_of(user)
    assert row.blocked_at is not None
    assert row.sign_count == 5
    record = AccessRecord.objects.latest("id")
    assert (record.event, record.details) == (
        "passkey_blocked", f"Laptop: counter {counter} after 5",
    )  # fmt: skip
    [notice] = [each for each in access_notices(colleague) if "passkey" in each.text]
    assert notice.person == user
    assert notice.text.startswith("A passkey of ada was blocked at ")
    # For good: a higher counter changes nothing.
    with assert_no_table_changes(), pytest.raises(InvalidRequest, match=NOT_ACCEPTED):
        use_passkey(user, key, counter=9)
    passkeys.remove(user=user, passkey_id=row.pk)
    assert not [each for each in access_notices(colleague) if "passkey" in each.text]


def test_a_key_that_counted_and_stops_counting_is_blocked():
    user = make_user()
    key = add_passkey(user, key=Authenticator(counts=False))
    use_passkey(user, key)
    use_passkey(user, key)
    assert row_of(user).sign_count == 0
    use_passkey(user, key, counter=7)
    with pytest.raises(InvalidRequest, match="blocked"):
        use_passkey(user, key, counter=0)


# --- removal, of keys and of the app ---


def test_two_keys_that_work_are_needed_before_the_app_may_go():
    user = make_user()
    epoch = user.session_epoch
    first = add_passkey(user, "First")
    with assert_no_table_changes(), pytest.raises(Conflict, match="Add two passkeys first"):
        passkeys.remove_app(user=user)
    add_passkey(user, "Second")
    with pytest.raises(InvalidRequest, match="blocked"):
        use_passkey(user, first, counter=1)
    with assert_no_table_changes(), pytest.raises(Conflict, match="Add two passkeys first"):
        passkeys.remove_app(user=user)
    add_passkey(user, "Third")
    passkeys.remove_app(user=user, address="192.0.2.7")
    assert not SecondFactor.objects.exists()
    assert second_factor.is_set_up(user)
    assert not second_factor.has_app(user)
    assert user.session_epoch == epoch + 1
    record = AccessRecord.objects.latest("id")
    assert (record.event, record.address) == ("app_removed", "192.0.2.7")
    with assert_no_table_changes(), pytest.raises(Conflict, match="You have no authenticator app"):
        passkeys.remove_app(user=user)


def test_without_an_app_two_keys_that_work_are_left():
    user = make_user()
    for name in ("First", "Second", "Third"):
        add_passkey(user, name)
    passkeys.remove_app(user=user)
    first, second, third = Passkey.objects.filter(user=user)
    epoch = user.session_epoch
    assert passkeys.remove(user=user, passkey_id=first.pk) == first
    assert user.session_epoch == epoch + 1
    with assert_no_table_changes():
        for key in (second, third):
            with pytest.raises(Conflict, match="Without an authenticator app you keep two"):
                passkeys.remove(user=user, passkey_id=key.pk)
    enrol_second_factor_again(user)
    passkeys.remove(user=user, passkey_id=second.pk)
    passkeys.remove(user=user, passkey_id=third.pk)
    assert access_events(user)[-3:] == [
        "second_factor_set_up", "passkey_removed", "passkey_removed",
    ]  # fmt: skip


def enrol_second_factor_again(user: StaffUser) -> None:
    secret = second_factor.new_secret()
    code = second_factor.code_at(secret=secret, step=second_factor.current_step())
    second_factor.set_up(user=user, secret=secret, code=code, replace=True)


def test_only_own_keys_are_removed():
    ada, bob = make_user(), make_user("bob")
    add_passkey(bob)
    with assert_no_table_changes():
        for passkey_id in (row_of(bob).pk, uuid7(), None):
            with pytest.raises(NotFound, match="Passkey not found"):
                passkeys.remove(user=ada, passkey_id=passkey_id)


def test_a_reset_by_a_colleague_removes_the_keys_too():
    admin, user, other = create_login_user(ADMINISTRATOR, "admin"), make_user(), make_user("bob")
    confirming = create_login_user(ADMINISTRATOR, "second")
    for name in ("First", "Second"):
        add_passkey(user, name)
    add_passkey(other)
    passkeys.remove_app(user=user)
    second_factor.reset(user_id=user.pk, by=admin, confirmed_by=confirming)
    assert not second_factor.is_set_up(user)
    assert list(Passkey.objects.values_list("user__username")) == [("bob",)]
    assert access_events(user)[-1] == "second_factor_reset"
    assert run("SELECT 1") == ""  # what is deferred agrees
    with pytest.raises(Conflict, match="ada has no second factor"):
        second_factor.reset(user_id=user.pk, by=admin, confirmed_by=confirming)


# --- the database ---


def test_the_database_keeps_two_keys_where_there_is_no_app():
    user = make_user()
    add_passkey(user, "First")
    removed = "DELETE FROM exchange_secondfactor WHERE user_id = %s"
    assert run(removed, user.pk) == "passkey_two_without_app"
    add_passkey(user, "Second")
    assert run(removed, user.pk) == ""
    one = "DELETE FROM exchange_passkey WHERE user_id = %s AND name = 'First'"
    assert run(one, user.pk) == "passkey_two_without_app"
    assert run("DELETE FROM exchange_passkey WHERE user_id = %s", user.pk) == ""


@pytest.mark.parametrize(
    "change",
    [
        "sign_count = sign_count - 1",
        "last_used_at = last_used_at - interval '1 second'",
        "last_used_at = NULL",
        "public_key = ''",
        "credential_id = ''",
        "name = 'x'",
        "user_id = gen_random_uuid()",
    ],
)
def test_the_service_moves_a_key_forward_only(change: str):
    user = make_user()
    use_passkey(user, add_passkey(user))
    with assert_no_table_changes():
        assert run(f"UPDATE exchange_passkey SET {change}") != ""


def test_a_blocked_key_stays_blocked_in_the_database():
    user = make_user()
    use_passkey(user, add_passkey(user))
    Passkey.objects.update(blocked_at=timezone.now())
    with assert_no_table_changes():
        assert run("UPDATE exchange_passkey SET blocked_at = NULL") != ""
        assert run("UPDATE exchange_passkey SET sign_count = sign_count + 1") != ""
