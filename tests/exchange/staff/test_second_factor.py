"""The second factor of a user: app codes and recovery codes."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import DataError, connection, transaction

from config.back_office.roles import ADMINISTRATOR, AUDITOR, FINANCE_APPROVER
from exchange.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from exchange.core.ids import uuid7
from exchange.staff.models import AccessRecord, RecoveryCode, SecondFactor, StaffUser
from exchange.staff.services import second_factor
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.logins import create_login_user
from tests.factories.staff import backdate_access, create_superuser

pytestmark = pytest.mark.django_db

# A moment in the middle of time step 60,000,000.
STEP = 60_000_000
NOW = STEP * 30 + 17.5
TOO_LONG = "x" * 61  # for an address on record
HALF_A_MINUTE = timedelta(seconds=30)
WRONG = "Incorrect or expired code. Enter the current code from your app"
WRONG_RECOVERY = "Incorrect or used recovery code"


@pytest.fixture
def clock(monkeypatch):
    """A controllable clock for codes; set `clock.now`."""
    expected = SimpleNamespace(now=NOW)
    clock = SimpleNamespace(time=lambda: expected.now)
    monkeypatch.setattr(second_factor, "time", clock)
    return expected


def code_of(secret: str, step: int) -> str:
    return second_factor.code_at(secret=secret, step=step)


def enrol(user: StaffUser, **options: Any) -> tuple[str, list[str]]:
    """Set up a second factor by the code of `STEP`; give the secret and the recovery codes."""
    secret = second_factor.new_secret()
    code = code_of(secret, STEP)
    return secret, second_factor.set_up(user=user, secret=secret, code=code, **options)


def step_of(user: StaffUser) -> int:
    return SecondFactor.objects.get(user=user).last_step


def test_a_time_step_takes_thirty_seconds(clock):
    for now, step in ((STEP * 30, STEP), (STEP * 30 + 29.9, STEP), (STEP * 30 + 30, STEP + 1)):
        clock.now = now
        assert second_factor.current_step() == step


def test_the_code_of_a_neighbouring_step_is_taken_and_none_further_away(clock):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    secret, _ = enrol(ada)
    enrol(bob)
    assert step_of(ada) == STEP
    clock.now = NOW + 10 * 30
    for away in (-2, 2):
        with pytest.raises(InvalidRequest) as refused:
            second_factor.verify(user=ada, code=code_of(secret, STEP + 10 + away))
        assert refused.value.message == WRONG
    assert step_of(ada) == STEP
    for away in (-1, 0, 1):
        second_factor.verify(user=ada, code=code_of(secret, STEP + 10 + away))
        assert step_of(ada) == STEP + 10 + away
    for away in (-1, 0, 1):
        with pytest.raises(InvalidRequest, match="already used"):
            second_factor.verify(user=ada, code=code_of(secret, STEP + 10 + away))
    assert (step_of(ada), step_of(bob)) == (STEP + 11, STEP)


def test_the_code_by_which_an_app_is_set_up_is_used(clock):
    user = create_login_user(AUDITOR)
    secret, _ = enrol(user)
    with pytest.raises(InvalidRequest, match="already used"):
        second_factor.verify(user=user, code=code_of(secret, STEP))


def test_spaces_in_a_code_are_left_out_and_six_digits_are_all_of_it(clock):
    user = create_login_user(AUDITOR)
    secret, _ = enrol(user)
    clock.now = NOW + 30
    code = code_of(secret, STEP + 1)
    for wrong in ("", code[:5], f"{code}0", f"{code[:5]}x", f"-{code}"):
        with pytest.raises(InvalidRequest, match="Incorrect or expired code"):
            second_factor.verify(user=user, code=wrong)
    second_factor.verify(user=user, code=f" {code[:3]} {code[3:]}\n")
    with pytest.raises(InvalidRequest, match="Incorrect or expired code"):
        second_factor.verify(user=create_login_user(AUDITOR, "bob"), code=code)


def test_a_wrong_code_sets_no_second_factor_up(clock):
    user = create_login_user(FINANCE_APPROVER)
    secret = second_factor.new_secret()
    with assert_no_table_changes(), pytest.raises(InvalidRequest) as refused:
        second_factor.set_up(user=user, secret=secret, code=code_of(secret, STEP - 2))
    assert refused.value.message == WRONG


def test_a_second_factor_is_replaced_only_where_that_is_wanted(clock):
    user = create_login_user(FINANCE_APPROVER)
    secret, codes = enrol(user)
    with (
        assert_no_table_changes(),
        pytest.raises(Conflict, match="You already have a second factor"),
    ):
        enrol(user)
    other, renewed = enrol(user, replace=True)
    assert second_factor.matches_secret(user=user, secret=other)
    assert not second_factor.matches_secret(user=user, secret=secret)
    assert len(set(codes + renewed)) == 20
    assert second_factor.recovery_codes_left(user) == 10


def test_only_a_first_second_factor_begins_the_cooling_off_period(clock):
    user = create_login_user(FINANCE_APPROVER)
    backdate_access(user, days=30)
    long_ago = user.access_changed_at
    enrol(user, skip_cooling_off=True)
    user.refresh_from_db()
    assert user.access_changed_at == long_ago
    enrol(user, replace=True)
    user.refresh_from_db()
    assert user.access_changed_at == long_ago
    newcomer = create_login_user(FINANCE_APPROVER, "bob")
    enrol(newcomer)
    newcomer.refresh_from_db()
    assert newcomer.access_changed_at > long_ago
    assert AccessRecord.objects.latest("id").at - newcomer.access_changed_at < HALF_A_MINUTE


def test_only_demo_data_skips_the_cooling_off_period(clock, settings):
    user = create_login_user(FINANCE_APPROVER)
    before = user.access_changed_at
    settings.DEMO_DATA = False
    enrol(user, skip_cooling_off=True)
    user.refresh_from_db()
    assert user.access_changed_at > before


def test_setting_up_ends_the_sessions_of_the_person_alone(clock):
    ada, bob = create_login_user(FINANCE_APPROVER), create_login_user(FINANCE_APPROVER, "bob")
    enrol(ada)
    assert ada.session_epoch == 1
    epochs = dict(StaffUser.objects.values_list("username", "session_epoch"))
    assert epochs == {"ada": 1, "bob": 0}
    enrol(bob)
    assert StaffUser.objects.get(pk=ada.pk).session_epoch == 1


def test_the_secret_of_one_person_is_not_that_of_another(clock):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    secret, _ = enrol(ada)
    assert second_factor.is_set_up(ada)
    assert not second_factor.is_set_up(bob)
    assert not second_factor.matches_secret(user=bob, secret=secret)
    other, _ = enrol(bob)
    for user, held, strange in ((ada, secret, other), (bob, other, secret)):
        assert second_factor.matches_secret(user=user, secret=held)
        assert not second_factor.matches_secret(user=user, secret=strange)


def test_an_app_reads_whose_secret_it_is():
    secret = second_factor.new_secret()
    assert len(secret) == 32
    address = second_factor.provisioning_uri(secret=secret, user=create_login_user(AUDITOR))
    assert address == (
        f"otpauth://totp/Tokenized%20Investment%20Exchange:ada?secret={secret}"
        "&issuer=Tokenized%20Investment%20Exchange"
    )


# --- recovery codes ---


def test_there_are_ten_recovery_codes_of_four_groups_of_four(clock):
    _, codes = enrol(create_login_user(AUDITOR))
    assert len(set(codes)) == 10
    for code in codes:
        groups = code.split("-")
        assert [len(group) for group in groups] == [4, 4, 4, 4]
        assert set("".join(groups)) <= set("abcdefghijklmnopqrstuvwxyz234567")


def test_a_recovery_code_is_used_once_however_it_is_typed(clock):
    user = create_login_user(AUDITOR)
    _, codes = enrol(user)
    typed = f" {codes[0].upper().replace('-', ' ')} "
    assert second_factor.use_recovery_code(user=user, code=typed, address="10.0.0.9") == 9
    assert second_factor.recovery_codes_left(user) == 9
    record = AccessRecord.objects.get(event="recovery_code_used")
    assert (record.user, record.address, record.details) == (user, "10.0.0.9", "9 left")
    used = RecoveryCode.objects.get(user=user, used_at__isnull=False)
    for code in (typed, codes[0], "", codes[1][:-1]):
        with pytest.raises(InvalidRequest) as refused:
            second_factor.use_recovery_code(user=user, code=code)
        assert refused.value.message == WRONG_RECOVERY
    assert RecoveryCode.objects.get(user=user, used_at__isnull=False) == used
    assert second_factor.use_recovery_code(user=user, code=codes[1]) == 8


def test_a_recovery_code_is_good_for_its_owner_alone(clock):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    _, of_ada = enrol(ada)
    enrol(bob)
    with pytest.raises(InvalidRequest):
        second_factor.use_recovery_code(user=bob, code=of_ada[0])
    assert second_factor.use_recovery_code(user=ada, code=of_ada[0]) == 9
    assert second_factor.recovery_codes_left(bob) == 10


def test_a_row_of_another_person_with_the_same_hash_is_not_used_up(clock):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    _, codes = enrol(ada)
    for row in RecoveryCode.objects.filter(user=ada):
        RecoveryCode.objects.create(user=bob, code_hash=row.code_hash)
    assert second_factor.use_recovery_code(user=ada, code=codes[0]) == 9
    assert second_factor.recovery_codes_left(bob) == 10
    with pytest.raises(InvalidRequest):
        second_factor.use_recovery_code(user=bob, code=codes[1])


def test_a_recovery_code_whose_use_cannot_be_recorded_is_not_used(clock):
    user = create_login_user(AUDITOR)
    _, codes = enrol(user)
    with assert_no_table_changes(), pytest.raises(DataError), transaction.atomic():
        second_factor.use_recovery_code(user=user, code=codes[0], address=TOO_LONG)


def test_new_recovery_codes_take_the_place_of_all_earlier_ones_of_the_person(clock):
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    with pytest.raises(Conflict, match="Set up a second factor first"):
        second_factor.renew_recovery_codes(user=ada)
    _, earlier = enrol(ada)
    _, of_bob = enrol(bob)
    renewed = second_factor.renew_recovery_codes(user=ada, address="10.0.0.9")
    assert not set(renewed) & set(earlier)
    assert RecoveryCode.objects.count() == 20
    with pytest.raises(InvalidRequest):
        second_factor.use_recovery_code(user=ada, code=earlier[0])
    assert second_factor.use_recovery_code(user=ada, code=renewed[0]) == 9
    assert second_factor.use_recovery_code(user=bob, code=of_bob[0]) == 9
    record = AccessRecord.objects.get(event="recovery_codes_renewed")
    assert (record.user, record.address) == (ada, "10.0.0.9")


# --- resetting ---


def test_a_reset_removes_the_factor_of_one_person_and_ends_their_sessions(clock):
    admin = create_login_user(ADMINISTRATOR, "admin")
    ada, bob = create_login_user(AUDITOR), create_login_user(AUDITOR, "bob")
    enrol(ada)
    enrol(bob)
    long_ago = ada.access_changed_at
    changed = second_factor.reset(user_id=ada.pk, by=admin)
    assert not SecondFactor.objects.filter(user=ada).exists()
    assert second_factor.recovery_codes_left(ada) == 0
    assert second_factor.is_set_up(bob)
    assert second_factor.recovery_codes_left(bob) == 10
    ada.refresh_from_db()
    assert changed.session_epoch == ada.session_epoch == 2
    assert ada.access_changed_at > long_ago
    record = AccessRecord.objects.get(event="second_factor_reset")
    assert (record.user, record.by, record.details) == (ada, admin, "")


def test_an_impossible_or_forbidden_reset_is_rejected(clock):
    admin, other = create_login_user(ADMINISTRATOR, "admin"), create_login_user(AUDITOR, "other")
    ada, owner = create_login_user(AUDITOR), create_superuser()
    enrol(admin, skip_cooling_off=True)
    enrol(owner)
    with assert_no_table_changes():
        for user_id, by, error, message in (
            (uuid7(), admin, NotFound, "User not found"),
            (admin.pk, admin, Forbidden, "You cannot reset your own second factor"),
            (ada.pk, other, Forbidden, "You are not allowed to reset this person's second factor"),
            (
                owner.pk,
                admin,
                Forbidden,
                "You are not allowed to reset this person's second factor",
            ),
            (ada.pk, admin, Conflict, "ada has no second factor"),
        ):
            with pytest.raises(error, match=message):
                second_factor.reset(user_id=user_id, by=by)


def test_a_reset_that_was_confirmed_says_by_whom(clock):
    admin, second = (
        create_login_user(ADMINISTRATOR, "admin"),
        create_login_user(FINANCE_APPROVER, "second"),
    )
    ada, owner = create_login_user(FINANCE_APPROVER), create_superuser()
    enrol(ada)
    enrol(owner)
    with pytest.raises(Forbidden, match="You are not allowed to reset"):
        second_factor.reset(user_id=owner.pk, by=admin, confirmed_by=second)
    second_factor.reset(user_id=ada.pk, by=admin, confirmed_by=second)
    record = AccessRecord.objects.get(event="second_factor_reset")
    assert record.details == "Confirmed by second"


# --- in a transaction of their own ---


@pytest.mark.django_db(transaction=True)
def test_each_change_of_a_second_factor_is_made_whole_or_not_at_all(clock):
    """Without a surrounding transaction."""
    admin, user = create_login_user(ADMINISTRATOR, "admin"), create_login_user(AUDITOR)
    _, codes = enrol(user)
    with assert_no_table_changes():
        for act in (
            lambda: enrol(user, replace=True, address=TOO_LONG),
            lambda: second_factor.use_recovery_code(user=user, code=codes[0], address=TOO_LONG),
            lambda: second_factor.renew_recovery_codes(user=user, address=TOO_LONG),
        ):
            with pytest.raises(DataError):
                act()
    assert len(second_factor.renew_recovery_codes(user=user)) == 10
    second_factor.reset(user_id=user.pk, by=admin)
    assert not second_factor.is_set_up(user)
    assert not connection.in_atomic_block
