"""Search of withdrawals: rare and common terms give the same results."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.back_office.roles import FINANCE_APPROVER
from exchange.admin import search as admin_search
from exchange.admin.search import recent_condition
from exchange.participants.models import Member, Organisation
from tests.environment.owner import without_guards
from tests.factories.back_office import fund, make_withdrawal, signed_in_client, text_of
from tests.factories.bare_rows import insert_row
from tests.factories.loans import update_without_guard
from tests.factories.wallets import make_staff, make_wallet, store_bank_list
from wallets.banks.models import BankAccount
from wallets.deposits.models import Deposit
from wallets.ledger.models import Transfer
from wallets.withdrawals.models import Payout, Withdrawal
from wallets.withdrawals.selectors import search
from wallets.withdrawals.services import decisions

pytestmark = pytest.mark.django_db


@pytest.fixture(params=[1000, 1, 0], ids=["rare", "some rare", "common"])
def few(request, monkeypatch) -> int:
    for limit in ("_MAX_IDS", "_MAX_FOUND"):
        monkeypatch.setattr(search, limit, request.param)
    return int(request.param)


@pytest.fixture
def withdrawals() -> dict[str, Withdrawal]:
    """Withdrawals by the first name of their owner, whose references contain no short term."""
    store_bank_list()
    found = {}
    for firm, person, number in (
        ("Acme", "Ada Obi", "0690000031"),
        ("Acme", "Bola O'Brien-Rade", "0690000045"),
        ("Zenith Partners", None, "4500009600"),
    ):
        organisation, _ = Organisation.objects.get_or_create(
            name=firm, defaults={"email": "ops@acme.example"}
        )
        member = (
            Member.objects.create(
                organisation=organisation, name=person, email=f"{number}@acme.example"
            )
            if person
            else None
        )
        fund(organisation, member, "KES", "10000")
        name = person or firm
        row = make_withdrawal(
            organisation, member, "KES", "100", account_name=name, account_number=number
        )
        reference = f"payout_{name[0].lower() * 25}7"
        update_without_guard("wallets_withdrawal", "USER", f"reference = '{reference}'", row.pk)
        row.refresh_from_db()
        found[name.split()[0]] = row
    return found


@pytest.mark.one_in(3)
def test_every_search_path_finds_it_and_every_term_counts(few, withdrawals):
    def found(term: str) -> set[str]:
        ids = set(
            Withdrawal.objects.filter(search.withdrawal_search(term)).values_list("pk", flat=True)
        )
        return {name for name, row in withdrawals.items() if row.pk in ids}

    everyone = {"Ada", "Bola", "Zenith"}
    assert found("0690000031") == {"Ada"}
    assert found("06900000") == {"Ada", "Bola"}
    assert found("0031") == {"Ada"}
    assert found("0045") == {"Bola"}  # the last digits, not 4500… reversed
    assert found("4500") == {"Zenith"}
    assert found("obi") == {"Ada"}
    assert found("OBI ada 0031") == {"Ada"}
    # Only the first five terms count.
    assert found("obi ada obi ada absent") == set()
    assert found("obi ada obi ada obi absent") == {"Ada"}
    assert found("obi bola") == set()
    assert found("eda") == set()  # reversed after an r: the beginning of Rade
    assert found("o'brien") == found("brien-rad") == {"Bola"}
    assert found("acme") == {"Ada", "Bola"}
    assert found("acme 0045") == {"Bola"}
    assert found("partner") == {"Zenith"}
    assert found("payout_") == everyone
    for name, row in withdrawals.items():
        assert found(row.reference) == found(row.reference[:15]) == {name}
        assert found(row.reference[:-1]) == {name}
        assert found(row.reference[-8:]) == found(row.reference[-9:].upper()) == {name}
    for name, row in withdrawals.items():
        assert found(str(row.pk)) == found(str(row.owner_id)) == {name}
    assert found(str(withdrawals["Ada"].organisation_id)) == {"Ada", "Bola"}
    assert found("0690000031@ACME.example") == {"Ada"}
    assert found("ops@acme.example") == {"Zenith"}  # the only request of an organisation wallet
    assert found("absent@acme.example") == set()
    paid = f"{withdrawals['Ada'].disburse_amount:f}"
    assert found("100.00") == found("100") == found(paid) == everyone
    assert found("100.01") == found("99.99") == set()
    assert found("ada 100") == found("100.00 0031") == {"Ada"}
    for nothing in ("absent", "%", "' | '", "r1300000960x", ":*", "\\", "!ada & zzz"):
        assert found(nothing) == set(), nothing


@pytest.mark.one_in(3)
def test_a_client_reference_is_found_as_a_whole(few):
    store_bank_list()
    firm = make_wallet(10_000)
    made = {
        reference: firm.request(client_reference=reference)
        for reference in (
            "INV 17",
            "0199d4e0-0000-7000-8000-000000000001",
            # No generated reference begins so: it has no "u".
            "payout_u17",
            "a@b.example",
        )
    }
    for reference, withdrawal in made.items():
        rows = Withdrawal.objects.filter(search.withdrawal_search(reference))
        assert [row.pk for row in rows] == [withdrawal.pk], reference
        assert withdrawal.pk in search.find_ids(reference)
    withdrawal = made["INV 17"]
    address = reverse("admin:wallets_withdrawal_change", args=[withdrawal.pk])
    shown = text_of(signed_in_client(FINANCE_APPROVER).get(address))
    assert "Client reference INV 17" in shown
    assert "Metadata" not in shown
    for nothing in ("INV", "inv 17", "INV 17 ada"):
        assert not Withdrawal.objects.filter(search.withdrawal_search(nothing)).exists()


def test_a_rare_term_is_resolved_to_ids_and_a_common_one_is_left_to_the_list(
    withdrawals, monkeypatch
):
    """Two withdrawals belong to one organisation of this name."""
    two = {withdrawals["Ada"].pk, withdrawals["Bola"].pk}
    for few in (10_000, 3, 2, 1, 0):
        if few < 10_000:
            for limit in ("_MAX_IDS", "_MAX_FOUND"):
                monkeypatch.setattr(search, limit, few)
        with CaptureQueriesContext(connection) as queries:
            assert search._find_few("acme") == (two if few >= 2 else None), few
        statements = [query["sql"] for query in queries.captured_queries]
        limits = [re.findall(r"LIMIT (\d+)", statement)[-1] for statement in statements]
        names = min(few, search._MAX_IDS) + 1
        assert limits == [f"{names}", f"{names}", f"{few + 1}"]
        # Members, organisations, then withdrawals by all paths, which stops early.
        assert ("exchange_organisation" in statements[-1], "UNION ALL" in statements[-1]) == (
            few < 1, True,
        )  # fmt: skip
        found = search.withdrawal_search("acme")
        assert (found.children == [("pk__in", two)]) is (few >= 2), few
        assert set(Withdrawal.objects.filter(found).values_list("pk", flat=True)) == two


def test_a_match_by_two_paths_hides_no_other(withdrawals, monkeypatch):
    """All match by their organisation, two of them also by their payee."""
    firm = withdrawals["Zenith"].organisation
    others = [
        make_withdrawal(firm, None, "KES", "100", account_name=payee) for payee in ("Zoe", "Zenith")
    ]
    for few in range(1, 6):
        for limit in ("_MAX_IDS", "_MAX_FOUND"):
            monkeypatch.setattr(search, limit, few)
        found = {*Withdrawal.objects.filter(search.withdrawal_search("zenith"))}
        assert found == {withdrawals["Zenith"], *others}, few


@pytest.mark.one_in(3)
def test_part_of_a_reference_has_a_digit_or_eight_letters(few, withdrawals):
    reference = "payout_qrstvwxyzk9m4fffffffffffff"
    update_without_guard(
        "wallets_withdrawal", "USER", f"reference = '{reference}'", withdrawals["Ada"].pk
    )

    def found(term: str) -> int:
        return Withdrawal.objects.filter(search.withdrawal_search(term)).count()

    assert [found(part) for part in ("qrstvwxy", "QRSTVWXY", "qrstvwx", "k9m", "fffffff")] == [
        1, 1, 0, 1, 0,
    ]  # fmt: skip


@pytest.mark.one_in(3)
def test_numbers_are_searched_by_indexes_and_parts_of_references_among_recent_withdrawals(
    few, withdrawals, monkeypatch
):
    """No search by a number reads all withdrawals."""
    ada = withdrawals["Ada"]
    part = ada.reference[-8:]
    amount, reference = Q(amount=100) | Q(disburse_amount=100), Q(reference__contains=part)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for condition, indexes in (
            (amount, {"withdrawal_amount", "withdrawal_net_amount"}),
            (reference & recent_condition(), {"wallets_withdrawal_pkey"}),
        ):
            plan = Withdrawal.objects.order_by().filter(condition).explain()
            assert indexes <= set(re.findall(r"withdrawal_\w+|wallets_withdrawal_pkey", plan)), plan

    def found(term: str) -> bool:
        return Withdrawal.objects.filter(search.withdrawal_search(term), pk=ada.pk).exists()

    assert found(part)
    monkeypatch.setattr(admin_search, "RECENT_PERIOD", -timedelta(hours=1))
    assert not found(part)
    assert found(ada.reference)
    assert found(ada.reference[:-1])
    assert found("100")


def test_the_audit_log_is_searched_by_whole_name_number_or_reference(withdrawals):
    def search_names(term: str) -> set[object]:
        return set(search.find_ids(term))

    for name, payee in (("Ada", "ada obi"), ("Bola", "Bola O'Brien-Rade")):
        row = withdrawals[name]
        ids = {row.pk, row.bank_id}
        assert (
            search_names(payee)
            == search_names(row.bank.account_number)
            == search_names(row.reference)
            == ids
        )
        assert search_names(f"withdrawal:{row.pk}:hold") == {row.pk}
    for part in ("Ada", "Obi", "0690000", "payout_", "withdrawal:"):
        assert search_names(part) == set(), part
    [deposit] = Deposit.objects.filter(member=withdrawals["Ada"].member)
    assert search_names(deposit.reference) == {deposit.pk}
    with without_guards() as cursor:
        insert_row(cursor, Transfer, kind="trade", reference="about nothing", subject_id=None)
    assert search_names("about nothing") == set()
    with CaptureQueriesContext(connection) as queries:
        assert search_names("ada obi")
    # Names use the index of terms.
    assert "name_words" in queries.captured_queries[0]["sql"]


def test_payouts_are_searched_likewise_and_by_provider_id(withdrawals, finance):
    ids = {}
    for name, row in withdrawals.items():
        decisions.approve(withdrawal_id=row.pk, version=row.version, approver=make_staff())
        ids[name] = f"provider-{name}"
        Payout.objects.update_or_create(
            withdrawal=row,
            defaults={"provider_id": ids[name]},
            create_defaults={
                "provider_id": ids[name],
                "created_at": row.created_at,
                "updated_at": row.created_at,
            },
        )

    def found(term: str) -> set[str]:
        shown = finance.get(reverse("admin:wallets_payout_changelist"), {"q": term})
        return {payout.provider_id for payout in shown.context["cl"].result_list}

    assert found("") == set(ids.values())
    assert found(ids["Ada"]) == found("0031") == found(withdrawals["Ada"].reference) == {ids["Ada"]}
    assert found("acme") == {ids["Ada"], ids["Bola"]}
    assert found("provider") == set()


def test_search_terms_of_bank_accounts_are_generated_and_not_audited(withdrawals):
    bank = BankAccount.objects.get(pk=withdrawals["Bola"].bank_id)
    terms = set(re.findall(r"'([^']+)'", bank.words))
    assert terms == {"bola", "obrien", "o", "brien", "rade", "0690000045", "r5400000960"}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM exchange_change WHERE after ? 'words'")
        assert cursor.fetchone() == (0,)
