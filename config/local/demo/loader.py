"""Loads the demo data through the services, so that its books balance.

Safe to repeat: existing records stay unchanged, missing ones are created. Credentials that are no
longer in the file (they are stored hashed) are issued again.
"""

import secrets
from copy import copy
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import get_hasher
from django.db import transaction

from config.local.demo import credentials_file
from config.local.demo.cases import confirm_rates, load_cases
from config.local.demo.controls import run_first_controls
from config.local.demo.coupons import load_coupons
from config.local.demo.data import (
    APPROVER,
    CASE_PAYMENTS,
    CASES,
    CREDIT_OFFICERS,
    INSTITUTIONS,
    LENDER,
    MARKET_MAKER_FUNDS,
    MARKET_MAKERS,
    MEMBER_FUNDS,
    ORGANISATION_FUNDS,
    ORGANISATIONS,
    PAYMENTS,
    PROPOSER,
    RETURNED_WITHDRAWAL,
    SECOND_APPROVER,
    STAFF,
    WITHDRAWALS,
    DemoOrganisation,
    DemoParticipant,
    DemoStaff,
)
from config.local.demo.lending import Lenders, load_lending
from config.local.demo.payments import load_payments
from config.local.demo.trading import Market, Trader, load_tokens
from config.local.demo.withdrawals import load_withdrawals
from config.local.outcomes.people import add_tenured_person, create_identities
from config.local.outcomes.settings import SCOPE
from exchange.core.actors import Actor
from exchange.core.errors import InvalidRequest
from exchange.events.models import WebhookEndpoint
from exchange.events.services.endpoints import rotate_secret, set_endpoint
from exchange.events.services.outbox import mark_unsent
from exchange.participants.models import ApiKey, Member, Organisation
from exchange.participants.services.api_keys import (
    get_live_keys,
    issue_access_token,
    issue_api_key,
    revoke_api_key,
)
from exchange.participants.services.members import create_member
from exchange.participants.services.organisations import change_organisation, create_organisation
from exchange.staff.models import StaffUser
from exchange.staff.services import second_factor
from wallets.deposits.models import Deposit
from wallets.deposits.services.manual import IncomingPayment, book_deposit

_ACTOR = Actor.system("demo")
_KEY_NAME = "Demo key"
_TOKEN_LIFETIME = timedelta(days=3650)
_PLACEHOLDER_URL = "https://webhooks.example.com/{slug}"


def load_demo(
    *,
    data_dir: Path,
    base_url: str,
    provider_url: str,
    owner: str = "owner",
    timeout_seconds: float = 10.0,
) -> dict[str, Any]:
    """Complete the demo data and write DIR/demo.json; return its content.

    `owner` is the database alias of the owner of the tables, who alone can make people tenured.
    Withdrawals and payments need the provider: if it does not respond within `timeout_seconds`, a
    later run creates them.
    """
    known = credentials_file.read(data_dir)
    participants = [_participant(about) for about in ORGANISATIONS]
    institutions = [_participant(about) for about in INSTITUTIONS]
    with transaction.atomic():
        for participant in participants:
            _fund(participant, None, ORGANISATION_FUNDS)
            for member in participant.members:
                _fund(participant, member, MEMBER_FUNDS)
        for institution in institutions:
            if institution.about.slug in MARKET_MAKERS:
                _fund(institution, None, MARKET_MAKER_FUNDS)
    staff = [_staff(person, known, owner) for person in STAFF]
    if SCOPE in settings.SCOPES:
        create_identities(owner)
    organisations = [_credentials(participant, known) for participant in participants]
    confirm_rates()
    market = _market(participants, institutions, base_url)
    tokens = load_tokens(market)
    load_coupons(tokens, proposer=market.proposer, approver=market.approver, actor=_ACTOR)
    load_lending(_lenders(participants, institutions))
    parties = {party.about.slug: party for party in participants}
    provider_available = load_withdrawals(WITHDRAWALS, parties, timeout_seconds=timeout_seconds)
    pays_in = provider_available and load_payments(PAYMENTS, parties, _ACTOR)
    run_first_controls(actor=_ACTOR, provider_available=provider_available)
    if pays_in:
        _load_cases()
    if provider_available:
        # After the reconciliations, which would report a variance once the money is back.
        load_withdrawals([RETURNED_WITHDRAWAL], parties, timeout_seconds=0)
    for participant, entry in zip(participants, organisations, strict=True):
        entry["webhook_secret"] = _webhook_secret(participant, known)
    content = {
        "base_url": base_url,
        "admin_url": f"{base_url}/admin/",
        "provider_url": provider_url,
        "organisations": organisations,
        "members": [
            {
                "id": str(member.id),
                "organisation": str(member.organisation_id),
                "name": member.name,
                "email": member.email,
            }
            for participant in participants
            for member in participant.members
        ],
        "staff": staff,
        "tokens": [
            {"_id": str(token.id), "symbol": token.symbol, "name": token.name} for token in tokens
        ],
    }
    credentials_file.write(data_dir, content)
    return content


def _load_cases() -> None:
    """Create what the lists of exceptions show, at an organisation without a login."""
    party = _participant(CASES)
    organisation = party.organisation
    if not get_live_keys(organisation).exists():
        issue_api_key(
            organisation=organisation, name=_KEY_NAME, scopes=settings.SCOPES, actor=_ACTOR
        )
    load_payments(CASE_PAYMENTS, {CASES.slug: party}, _ACTOR)
    if load_cases(party.members, _ACTOR):
        mark_unsent(organisation_id=organisation.pk)


def _participant(about: DemoOrganisation) -> DemoParticipant:
    organisation = Organisation.objects.filter(email=about.email).first() or create_organisation(
        name=about.name, email=about.email, actor=_ACTOR
    )
    if about.members and not organisation.redirect_origins:
        organisation = change_organisation(
            organisation_id=organisation.id,
            name=organisation.name,
            email=organisation.email,
            redirect_origins=[about.origin],
            actor=_ACTOR,
        )
    members = []
    for person in about.members:
        member = Member.objects.filter(
            organisation=organisation, email__iexact=person.email
        ).first() or create_member(
            organisation_id=organisation.id, name=person.name, email=person.email, actor=_ACTOR
        )
        members.append(member)
    return DemoParticipant(about, organisation, tuple(members))


def _fund(participant: DemoParticipant, member: Member | None, funds: dict[str, Decimal]) -> None:
    """Book the opening balance, and for those with members the same amount to invest."""
    owner_id = member.id if member else participant.organisation.id
    purposes = {"": "Opening balance of the demo data"}
    if participant.members:
        purposes[":investment"] = "Funds for demo investments"
    known = set(
        Deposit.objects.filter(reference__startswith=f"demo:{owner_id}:").values_list(
            "reference", flat=True
        )
    )
    for purpose, note in purposes.items():
        for currency, amount in funds.items():
            reference = f"demo:{owner_id}:{currency}{purpose}"
            if reference not in known:
                book_deposit(
                    payment=IncomingPayment(
                        organisation_id=participant.organisation.id,
                        member_id=member.id if member else None,
                        currency=currency,
                        amount=amount,
                        reference=reference,
                        note=note,
                    ),
                    actor=_ACTOR,
                )


def _market(
    participants: list[DemoParticipant], institutions: list[DemoParticipant], base_url: str
) -> Market:
    traders_by_slug = {
        party.about.slug: Trader(party.about.slug, party.organisation)
        for party in participants + institutions
    }
    traders = []
    for party in participants:
        traders.append(traders_by_slug[party.about.slug])
        traders += [Trader(party.about.slug, party.organisation, m) for m in party.members]
    return Market(
        issuers=traders_by_slug,
        traders=traders,
        market_makers=[traders_by_slug[slug] for slug in MARKET_MAKERS],
        proposer=StaffUser.objects.get(username=PROPOSER),
        approver=StaffUser.objects.get(username=APPROVER),
        second_approver=StaffUser.objects.get(username=SECOND_APPROVER),
        base_url=base_url,
    )


def _lenders(participants: list[DemoParticipant], institutions: list[DemoParticipant]) -> Lenders:
    lender = next(party for party in institutions if party.about.slug == LENDER)
    first, second = (StaffUser.objects.get(username=name) for name in CREDIT_OFFICERS)
    return Lenders(
        public=lender.organisation,
        own=participants[0].organisation,
        pending=participants[-1].organisation,
        borrowers={party.organisation: party.members for party in participants},
        officers=(first, second),
    )


def enrol_second_factor(user: StaffUser) -> str:
    """Set up a new second factor for `user`, without cooling-off period; return its secret.

    By the last code, so that the present one is unused.
    """
    secret = second_factor.new_secret()
    while True:
        step = second_factor.current_step()
        code = second_factor.code_at(secret=secret, step=step - 1)
        try:
            second_factor.set_up(
                user=user, secret=secret, code=code, replace=True, skip_cooling_off=True
            )
        except InvalidRequest:
            if second_factor.current_step() == step:  # it was not too old by then
                raise
        else:
            return secret


def _staff(person: DemoStaff, known: dict[str, Any], owner: str) -> dict[str, str]:
    """Return a working login: the one in the file, else with a new password and second factor.

    The file also has the secret of the second factor, so no phone is needed.
    """
    entries = {entry["username"]: entry for entry in known.get("staff", [])}
    user = StaffUser.objects.filter(username=person.username).first()
    entry = entries.get(person.username, {})
    password = entry.get("password", "")
    if user is None:
        details = {"email": f"{person.username}@exchange.example"}
        user = add_tenured_person(person.username, person.role, owner, details)
    if not (password and user.check_password(password)):
        password = secrets.token_urlsafe(18)
        user.password = _hash_random(password)
        user.save(update_fields=["password"])
    secret = entry.get("totp_secret", "")
    if not second_factor.matches_secret(user=user, secret=secret):
        secret = enrol_second_factor(user)
    return {
        "username": person.username,
        "password": password,
        "role": person.role,
        "totp_secret": secret,
    }


def _hash_random(password: str) -> str:
    """Hash a random password quickly: it cannot be guessed. Its first use hashes it as others."""
    hasher: Any = copy(get_hasher())
    hasher.iterations = 1
    return str(hasher.encode(password, hasher.salt()))


def _credentials(participant: DemoParticipant, known: dict[str, Any]) -> dict[str, str]:
    """Return a working key and token: those in the file, else new ones.

    A key never gets more power: one of an earlier version, without a scope, is replaced.
    """
    organisation = participant.organisation
    entry = _known_entry(organisation, known)
    usable = ApiKey.objects.filter(organisation=organisation, revoked_at=None)
    if (
        entry is not None
        and usable.filter(
            client_id=entry["client_id"], scopes__contains=list(settings.SCOPES)
        ).exists()
    ):
        return {**entry, "name": organisation.name}
    # The secrets of earlier keys are lost, or the keys replaced.
    for lost in get_live_keys(organisation).filter(name=_KEY_NAME):
        revoke_api_key(key_id=lost.pk, actor=_ACTOR)
    key, secret = issue_api_key(
        organisation=organisation, name=_KEY_NAME, scopes=settings.SCOPES, actor=_ACTOR
    )
    return {
        "id": str(organisation.id),
        "name": organisation.name,
        "client_id": key.client_id,
        "client_secret": secret,
        "access_token": issue_access_token(key=key, lifetime=_TOKEN_LIFETIME, actor=_ACTOR),
    }


def _webhook_secret(participant: DemoParticipant, known: dict[str, Any]) -> str:
    """Return the signing secret; the endpoint is disabled unless DEMO_WEBHOOK_URL is set."""
    organisation = participant.organisation
    url = settings.DEMO_WEBHOOK_URL
    exists = WebhookEndpoint.objects.filter(organisation=organisation).exists()
    if url or not exists:
        result = set_endpoint(
            organisation_id=organisation.id,
            url=url or _PLACEHOLDER_URL.format(slug=participant.about.slug),
            enabled=bool(url),
            actor=_ACTOR,
        )
        if result.secret is not None:
            return result.secret
    entry = _known_entry(organisation, known)
    if entry is not None:
        return str(entry["webhook_secret"])
    return rotate_secret(organisation_id=organisation.id, actor=_ACTOR)[1]


def _known_entry(organisation: Organisation, known: dict[str, Any]) -> dict[str, str] | None:
    entries = (dict(entry) for entry in known.get("organisations", []))
    return next((entry for entry in entries if entry.get("id") == str(organisation.id)), None)
