"""Bank lists: how long each process and the database keep them, and what is found in them."""

import json
import time
from collections.abc import Sequence
from datetime import timedelta
from threading import Lock

import pytest
from django.utils import timezone

from config.local.sandbox.faults import Fault
from tests.factories.payouts import open_alerts
from wallets.alerts.models import Alert
from wallets.banks import services as banks
from wallets.banks.errors import (
    AccountLookupUnavailable,
    AccountNotFound,
    BankListUnavailable,
    BankNotFound,
    NoBankList,
    ResolutionNotSupported,
)
from wallets.banks.models import BankList
from wallets.banks.services import (
    BankDirectory,
    Payee,
    bank_directory,
    clear_bank_cache,
    find_bank,
    find_cached_bank,
    find_payee,
    refresh_bank_list,
    resolve_account_name,
)
from wallets.providers.base import BankEntry

pytestmark = pytest.mark.django_db

ONE, TWO = BankEntry(id=1, name="First-Bank", code="01"), BankEntry(id=2, name="F B", code="02")
ACCESS = BankEntry(id=101, name="Access Bank", code="044")
ACCOUNT = "0690000031"
# Hours that a list is fresh, and seconds that a process keeps it; moments later than now.
FRESH, STALE = 23.99, 24.01
KEPT, OLD = 29.2, 30.2


def store(entries: Sequence[BankEntry], currency: str = "KES", hours: float = 0) -> None:
    """The database has this list, fetched so many hours ago."""
    rows = [{"id": bank.id, "name": bank.name, "code": bank.code} for bank in entries]
    fetched = timezone.now() - timedelta(hours=hours)
    BankList.objects.update_or_create(
        currency_id=currency, defaults={"banks": rows, "fetched_at": fetched}
    )


def remember(entries: Sequence[BankEntry], seconds: float, hours: float = 0) -> BankDirectory:
    """This process has looked at such a list so many seconds ago."""
    clear_bank_cache()
    store(entries, hours=hours)
    directory = banks._load("KES")
    assert directory is not None
    banks._cache["KES"] = (time.monotonic() - seconds, directory)
    return directory


def fail(sandbox, path: str = "/v3/banks", times: int = 10) -> None:
    sandbox.faults.add(Fault(fault="error_5xx", path_prefix=path, times=times))


def asked(sandbox) -> int:
    return len(sandbox.requests.entries())


def test_the_exact_name_wins_over_an_equal_one_and_the_first_of_equal_ones():
    exact, other = BankEntry(1, "First Bank", "01"), BankEntry(2, "FIRST BANK", "02")
    store([ONE, exact, other])
    directory = bank_directory("KES")
    assert directory.banks == (ONE, exact, other)
    for name, found in (
        ("First Bank", exact),
        ("FIRST BANK", other),
        ("First-Bank", ONE),
        ("first bank", ONE),
        ("firstbank", ONE),
        ("First", None),
        ("", None),
    ):
        assert directory.find(name) == found, name


@pytest.mark.parametrize(
    ("seconds", "hours", "known"),
    [(0, 0, True), (KEPT, FRESH, True), (OLD, 0, False), (0, STALE, False)],
)
def test_a_process_remembers_a_fresh_list_for_half_a_minute(
    django_assert_num_queries, seconds, hours, known
):
    remember([ONE], seconds, hours)
    with django_assert_num_queries(0):
        assert find_cached_bank("KES", "first bank") == (ONE if known else None)
        assert find_cached_bank("KES", "F B") is None
        assert find_cached_bank("NGN", "First-Bank") is None
    clear_bank_cache()
    assert find_cached_bank("KES", "First-Bank") is None


def test_a_process_looks_at_the_database_again_after_half_a_minute(django_assert_num_queries):
    first = remember([ONE], KEPT)
    store([TWO])
    with django_assert_num_queries(0):
        assert bank_directory("KES") is first
    remember([ONE], OLD)
    store([TWO])
    assert bank_directory("KES").banks == (TWO,)
    # What has not changed is not read anew.
    same = remember([ONE], OLD)
    with django_assert_num_queries(1):
        assert bank_directory("KES") is same
        assert bank_directory("KES") is same


def test_each_currency_has_its_own_list(sandbox):
    store([ONE], "GHS")
    store([TWO], "KES")
    store([ACCESS], "NGN")
    for currency, bank in (("NGN", ACCESS), ("KES", TWO), ("GHS", ONE)):
        assert bank_directory(currency).banks == (bank,)
    for currency in ("USD", "EUR"):
        with pytest.raises(NoBankList):
            bank_directory(currency)
    assert asked(sandbox) == 0


@pytest.mark.parametrize(
    ("hours", "serves_stale", "served"),
    [
        (FRESH, False, "stored"),
        (STALE, False, "none"),
        (STALE, True, "stored"),
        (None, True, "none"),
        (None, False, "none"),
    ],
)
def test_a_list_that_cannot_be_fetched_is_served_from_the_store_up_to_the_set_age(
    sandbox, settings, hours, serves_stale, served
):
    settings.BANK_LIST_SERVE_STALE = serves_stale
    if hours is not None:
        store([ONE], hours=hours)
    fail(sandbox)
    if served == "stored":
        assert bank_directory("KES").banks == (ONE,)
    else:
        with pytest.raises(BankListUnavailable):
            bank_directory("KES")
    assert asked(sandbox) == (0 if hours == FRESH else 3)
    assert open_alerts() == (set() if hours == FRESH else {"bank_list"})


@pytest.mark.parametrize("stored", [True, False])
def test_while_another_request_fetches_the_list_none_waits_for_the_provider(
    sandbox, settings, monkeypatch, stored
):
    settings.BANK_LIST_SERVE_STALE = True
    monkeypatch.setattr(banks, "_TURN_SECONDS", 0.05)
    if stored:
        store([ONE], hours=STALE)
    with banks._locks.setdefault("KES", Lock()):
        if stored:
            assert bank_directory("KES").banks == (ONE,)
        else:
            with pytest.raises(BankListUnavailable):
                bank_directory("KES")
    assert asked(sandbox) == 0
    assert len(bank_directory("KES").banks) > 1
    assert asked(sandbox) == 1


def test_a_stale_list_is_fetched_and_stored_and_ends_the_alert(sandbox):
    store([ONE], hours=STALE)
    fail(sandbox, times=3)
    with pytest.raises(BankListUnavailable):
        bank_directory("KES")
    alert = Alert.objects.get()
    assert (alert.kind, alert.subject) == ("bank_list", "KES")
    assert alert.message == ("The KES bank list could not be fetched: the provider failed (503)")
    assert open_alerts() == {"bank_list"}
    found = bank_directory("KES")
    kcb = BankEntry(id=201, name="KCB Bank Kenya", code="01")
    assert found.find("KCB Bank Kenya") == kcb
    assert open_alerts() == set()
    row = BankList.objects.get(currency_id="KES")
    assert row.fetched_at == found.fetched_at > timezone.now() - timedelta(minutes=1)
    assert {"id": 201, "name": "KCB Bank Kenya", "code": "01"} in row.banks
    assert asked(sandbox) == 4


def test_a_list_that_is_fetched_on_demand_takes_the_place_of_a_remembered_one(sandbox):
    remember([ONE], 0)
    found = refresh_bank_list("KES")
    assert found.find("First-Bank") is None
    assert bank_directory("KES") is found


def test_a_bank_is_looked_for_once_more_in_what_another_process_stored(django_assert_num_queries):
    remember([ONE], 0)
    with django_assert_num_queries(0):
        assert find_bank("KES", "First-Bank") == ONE
    store([ONE, TWO])
    assert find_bank("KES", "f.b") == TWO
    with pytest.raises(BankNotFound) as refused:
        find_bank("KES", "First Bnk")
    assert str(refused.value) == (
        'Could not find a bank matching "First Bnk" for KES. Please check the bank name'
        " (did you mean First-Bank?)"
    )


@pytest.mark.parametrize("letters", [1, 199, 200, 201])
def test_the_providers_name_of_an_account_takes_the_place_of_the_given_one(sandbox, letters):
    account = {"account_number": ACCOUNT, "account_name": "x" * letters}
    body = json.dumps({"status": "success", "data": account})
    sandbox.faults.add(Fault(fault="malformed", path_prefix="/v3/accounts", body=body))
    payee = find_payee(currency="NGN", bank=ACCESS, account_number=ACCOUNT, provided_name="Me")
    assert payee == Payee(ACCESS, "x" * min(letters, 200), resolved=True)


def test_the_provided_name_stays_where_there_is_no_other(sandbox):
    given = Payee(ACCESS, "Me", resolved=False)
    for currency in ("KES", "GHS"):
        payee = find_payee(
            currency=currency, bank=ACCESS, account_number=ACCOUNT, provided_name="Me"
        )
        assert payee == given
    assert asked(sandbox) == 0
    unknown = find_payee(currency="NGN", bank=ACCESS, account_number="1", provided_name="Me")
    assert unknown == given
    fail(sandbox, "/v3/accounts")
    failed = find_payee(currency="NGN", bank=ACCESS, account_number=ACCOUNT, provided_name="Me")
    assert failed == given


def test_an_account_is_resolved_or_refused(sandbox):
    def resolve(currency: str = "NGN", bank: str = "ACCESS BANK", account: str = ACCOUNT) -> Payee:
        return resolve_account_name(currency=currency, bank_name=bank, account_number=account)

    store([ACCESS], "NGN")
    assert resolve() == Payee(ACCESS, "Forrest Green", resolved=True)
    with pytest.raises(AccountNotFound):
        resolve(account="1")
    with pytest.raises(ResolutionNotSupported):
        resolve("KES")
    with pytest.raises(BankNotFound):
        resolve(bank="Acess")
    assert asked(sandbox) == 2
    fail(sandbox, "/v3/accounts")
    with pytest.raises(AccountLookupUnavailable):
        resolve()
