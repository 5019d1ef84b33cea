"""Names are found with and without accents and apostrophes, in any Unicode form."""

import unicodedata
from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.contrib.postgres.search import SearchVectorExact
from django.db import connection
from django.db.models import Model
from django.test import RequestFactory
from django.urls import reverse

from config.back_office import search
from config.back_office.roles import AUDITOR
from exchange.admin.site_search import parse_search
from exchange.core.words import name_query
from exchange.participants.models import MEMBER_WORDS, Member
from exchange.staff.models import StaffUser
from exchange.tokens.models import Token
from tests.environment.owner import as_owner
from tests.factories.api_clients import make_caller, make_member, make_organisation
from tests.factories.back_office import fund, make_withdrawal
from tests.factories.deposits import arrive, transaction_record
from tests.factories.staff import create_staff
from tests.factories.tokens import make_token
from tests.factories.wallets import store_bank_list
from wallets.deposits.models import Payment
from wallets.deposits.selectors import paid_by
from wallets.providers.collection import Payer
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.selectors.search import find_ids, withdrawal_search

pytestmark = pytest.mark.django_db


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


# Each of a row's texts is a name, and is found by each.
SAME = [
    ("José", decomposed("José"), "Jose", "JOSE", "\uff2a\uff2f\uff33\uff25"),
    ("Ng'ang'a", "Ng\u2019ang\u2019a", "Ng\u02bcang\u02bca", "Nganga", "Ng`ang\u00b4a"),
    ("Ọlá", decomposed("Ọlá"), "Ola", "ọla"),
    ("O'Brien", "O\u2019Brien", "OBrien"),
    ("José Ng\u2019ang\u2019a", decomposed("José Ng\u2019ang\u2019a"), "Jose Nganga"),
    ("Straße", "straße"),
    ("Æsa", "æsa"),
    ("عَلِيّ", "علي"),
]  # fmt: skip
OTHERS = ("Joss", "Ngong", "Olu", "O Bryan", "Oje", "Stråle")


def kind_finder(kind: str) -> Callable[[StaffUser, str], list[str]]:
    """Return a search of the back office for records of `kind`; it returns what rows show."""

    def find(user: StaffUser, text: str) -> list[str]:
        request = RequestFactory().get(reverse("admin:search"), {"q": text})
        request.user = user
        sections = search.search(admin.site, request, parse_search(text)).sections
        return [str(row) for each in sections if each.title == kind for row in each.rows]

    return find


def looker(*models: type[Model]) -> StaffUser:
    """Return a person who may view records of `models` only, so that no others are searched."""
    user = create_staff("looker", "correct horse battery", AUDITOR)
    views = [f"view_{model._meta.model_name}" for model in models]
    with as_owner():
        user.groups.clear()
        user.user_permissions.set(Permission.objects.filter(codename__in=views))
    return StaffUser.objects.get(pk=user.pk)


def list_search(model: type[Member | Token], text: str) -> set[str]:
    page = admin.site._registry[model]
    request = RequestFactory().get("/", {"q": text})
    found, _ = page.get_search_results(request, model._default_manager.all(), text)
    return set(found.values_list("name", flat=True))


@pytest.mark.parametrize("names", SAME, ids=[names[0] for names in SAME])
@pytest.mark.one_in(3)
def test_members_are_found_however_their_names_are_typed(names):
    organisation = make_organisation()
    user = looker(Member)
    for number, name in enumerate([*names[:4], *OTHERS]):
        make_member(organisation, name, email=f"m{number}@acme.example")
    find = kind_finder("Members")
    for typed in names:
        assert list_search(Member, typed) == set(names[:4]), typed
        assert len(find(user, typed)) == len(names[:4]), typed
        assert len(find(user, f"{typed} m1")) == 1, typed
    for other in OTHERS:
        assert list_search(Member, other) == {other}
        assert len(find(user, other)) == 1


@pytest.mark.parametrize("names", SAME, ids=[names[0] for names in SAME])
def test_tokens_are_found_however_their_names_are_typed(names):
    caller = make_caller(["tokens:read"])
    for name in (*names, *OTHERS):
        make_token(name=name)
    for typed in names:
        page = caller.get("/v1/api/token/search", {"name": typed}).json()["data"]
        assert {row["name"] for row in page["tokens"]} == set(names), typed
        assert list_search(Token, typed) == set(names)
    page = caller.get("/v1/api/token/search", {"name": OTHERS[0]}).json()["data"]
    assert [row["name"] for row in page["tokens"]] == [OTHERS[0]]


@pytest.mark.parametrize("names", SAME, ids=[names[0] for names in SAME])
@pytest.mark.one_in(3)
def test_payers_and_payees_are_found_however_their_names_are_typed(names):
    store_bank_list()
    user = looker(Payment, Withdrawal)
    organisation = make_organisation()
    fund(organisation, None, "KES", "10000")
    for number, name in enumerate((names[0], OTHERS[0])):
        payer = Payer(name, "Equity Bank", "******4821")
        arrive(transaction_record(f"invoice-{number}", "43.21", currency="KES", payer=payer))
        make_withdrawal(
            organisation, None, "KES", "100", account_name=name, account_number=f"069000003{number}"
        )
    paid = Withdrawal.objects.get(bank__account_number="0690000030")
    payers, payees = kind_finder("Payments"), kind_finder("Withdrawals")
    assert Payment.objects.count() == 2
    for typed in names:
        assert len(payers(user, typed)) == 1, typed
        assert len(payees(user, typed)) == 1, typed
        assert [*Withdrawal.objects.filter(withdrawal_search(typed))] == [paid], typed
    assert paid.bank_id in [*find_ids(names[0])]


def test_apostrophes_alone_are_in_no_name():
    make_member(make_organisation(), "Bisi Ng'ang'a")
    for typed in ("'", "\u2019", "''"):
        assert not Member.objects.filter(name__folded=typed).exists()


def test_a_plain_name_stays_as_it_is():
    with connection.cursor() as cursor:
        plain = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in "'`")
        cursor.execute("SELECT fold_text(%s), fold_text(NULL), fold_text('')", [plain])
        assert cursor.fetchone() == (plain, None, "")


def test_the_indexes_serve_the_searches():
    """An index of another expression would be used by no search."""
    query = name_query("Ọlá O'Brien")
    assert query is not None
    queries = {
        "member_folded_words": Member.objects.filter(SearchVectorExact(MEMBER_WORDS, query)),
        "payment_payer_words": paid_by(query),
    }
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    for index, rows in queries.items():
        assert index in rows.explain(), index
