"""Ways in for money: permanent virtual accounts, and checkouts on the provider's page.

Both request it from the provider first and write afterwards: without a record no payer knows of it.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction
from django.utils import timezone

from exchange.core.currencies import VIRTUAL_ACCOUNT_CURRENCIES
from exchange.core.database import violated_constraint
from exchange.core.errors import InvalidCurrency, InvalidRequest, ProviderFailed, Rejected
from exchange.core.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    execute_once,
    find_response,
)
from exchange.core.ids import new_reference, uuid7
from exchange.core.querysets import get_or_raise
from exchange.core.references import ClientReferenceTaken, OwnReferences
from exchange.participants.errors import MemberClosed, UserNotFound, VerificationRequired
from exchange.participants.models import Member, MemberStatus, Organisation, Verification
from exchange.participants.services.members import hold_open
from wallets.deposits.models import Deposit, DepositChannel, DepositStatus, VirtualAccount
from wallets.deposits.selectors import deposit_document
from wallets.providers.base import CollectionDeclined, ProviderUnavailable
from wallets.providers.collection import CheckoutRequest, VirtualAccountRequest
from wallets.providers.registry import payment_provider


def find_customer(organisation_id: UUID, member_id: UUID | None) -> Member | Organisation:
    """Return the owner of a wallet, to whom money may be paid.

    Raises `UserNotFound`, `MemberClosed`, `VerificationRequired` where the organisation requires it
    for deposits, and `Rejected` without an email address.
    """
    organisation = Organisation.objects.get(pk=organisation_id)
    owner: Member | Organisation = organisation
    if member_id is not None:
        rows = Member.objects.filter(pk=member_id, organisation_id=organisation_id)
        owner = get_or_raise(rows, UserNotFound)
        if owner.status == MemberStatus.CLOSED:
            raise MemberClosed
        verified = owner.verification == Verification.VERIFIED
        if organisation.verification_required_for_deposits and not verified:
            raise VerificationRequired
    if not owner.email:
        raise Rejected(
            "Your organisation has no email address, which the payment provider requires. Ask the "
            "exchange to add it",
            code="email_required",
        )
    return owner


def open_virtual_account(
    *, organisation_id: UUID, member_id: UUID | None, currency: str, bvn: str
) -> UUID:
    """Return the id of the owner's virtual account in `currency`, opened if needed.

    The BVN is passed to the provider and not kept. Raises `InvalidCurrency`, `InvalidRequest`, as
    `find_customer`, and `ProviderFailed`.
    """
    if currency not in VIRTUAL_ACCOUNT_CURRENCIES:
        raise InvalidCurrency(VIRTUAL_ACCOUNT_CURRENCIES)
    customer = find_customer(organisation_id, member_id)
    accounts = VirtualAccount.objects.filter(owner_id=customer.pk, currency_id=currency)
    existing = accounts.values_list("pk", flat=True).first()
    if existing is not None:
        return existing
    if currency == "NGN" and not bvn:
        raise InvalidRequest.for_field("bvn", "bvn is required for a virtual account in NGN")
    # The same for the same owner: had the provider's answer been lost, payments into either number
    # would carry it.
    reference = f"account_{currency.lower()}_{customer.pk.hex}"
    first_name, _, last_name = customer.name.partition(" ")
    request = VirtualAccountRequest(
        tx_ref=reference,
        currency=currency,
        email=customer.email,
        first_name=first_name,
        last_name=last_name,
        narration=customer.name,
        bvn=bvn or None,
    )
    try:
        made = payment_provider().create_virtual_account(request)
    except CollectionDeclined as error:
        raise Rejected(
            f"The payment provider declined the account: {error}", code="account_declined"
        ) from error
    except ProviderUnavailable as error:
        raise ProviderFailed("The payment provider did not respond. Please try again") from error
    try:
        with transaction.atomic():
            if not hold_open(member_id):
                raise MemberClosed
            return VirtualAccount.objects.create(
                organisation_id=organisation_id,
                member_id=member_id,
                currency_id=currency,
                reference=reference,
                order_reference=made.order_ref,
                bank_name=made.bank_name,
                account_number=made.account_number,
                account_name=made.account_name or customer.name,
                created_at=timezone.now(),
            ).pk
    except IntegrityError as error:
        if violated_constraint(error) not in {
            "virtual_account_once_per_owner",
            "wallets_virtualaccount_reference_key",
        }:
            raise
        # Another request opened it meanwhile.
        return accounts.values_list("pk", flat=True).get()


@dataclass(frozen=True, kw_only=True)
class Checkout(OwnReferences):
    """A checkout of a wallet: what is to be paid, and the address to which the payer returns."""

    organisation_id: UUID
    member_id: UUID | None
    amount: Decimal
    currency: str
    redirect_url: str
    reference: str = field(default_factory=lambda: new_reference("deposit_"))


def open_checkout(checkout: Checkout, *, claim: IdempotencyClaim | None = None) -> StoredResponse:
    """Create the pending deposit of `checkout` and the page on which it is paid.

    A `claim` replays the response stored under it. Raises as `request_page`, `store_checkout` and
    `execute_once`.
    """
    if claim is not None and (stored := find_response(claim)) is not None:
        return stored
    url = msgspec.json.encode(request_page(checkout)).decode()

    def store() -> StoredResponse:
        document = deposit_document(checkout.organisation_id, store_checkout(checkout))
        return StoredResponse(201, "Checkout created", f'{{"deposit":{document},"url":{url}}}')

    return execute_once(claim, store)


def request_page(checkout: Checkout) -> str:
    """Ask the provider for the page on which `checkout` is paid; return its address.

    Raises `InvalidRequest` for an address that the organisation did not register, as
    `find_customer`, `Rejected` (`checkout_declined`) and `ProviderFailed`.
    """
    organisation_id = checkout.organisation_id
    _check_redirect(organisation_id, checkout.redirect_url)
    customer = find_customer(organisation_id, checkout.member_id)
    request = CheckoutRequest(
        tx_ref=checkout.reference,
        amount=checkout.amount,
        currency=checkout.currency,
        redirect_url=checkout.redirect_url,
        customer_email=customer.email,
        customer_name=customer.name,
        title=Organisation.objects.values_list("name", flat=True).get(pk=organisation_id),
    )
    try:
        return payment_provider().create_checkout(request)
    except CollectionDeclined as error:
        raise Rejected(
            f"The payment provider declined the checkout: {error}", code="checkout_declined"
        ) from error
    except ProviderUnavailable as error:
        raise ProviderFailed("The payment provider did not respond. Please try again") from error


def store_checkout(checkout: Checkout) -> UUID:
    """Write the pending deposit of a checkout; return its id.

    Raises `ClientReferenceTaken`, and `MemberClosed` if the member was closed meanwhile.
    """
    now = timezone.now()
    try:
        with transaction.atomic():
            if not hold_open(checkout.member_id):
                raise MemberClosed
            return Deposit.objects.create(
                id=uuid7(),
                organisation_id=checkout.organisation_id,
                member_id=checkout.member_id,
                channel=DepositChannel.CHECKOUT,
                status=DepositStatus.PENDING,
                amount=checkout.amount,
                currency_id=checkout.currency,
                requested_amount=checkout.amount,
                requested_currency=checkout.currency,
                reference=checkout.reference,
                redirect_url=checkout.redirect_url,
                client_reference=checkout.client_reference,
                metadata=checkout.metadata,
                created_at=now,
                updated_at=now,
            ).pk
    except IntegrityError as error:
        if violated_constraint(error) != "deposit_client_reference_once":
            raise
        raise ClientReferenceTaken(checkout.client_reference or "", "a deposit") from error


def _check_redirect(organisation_id: UUID, url: str) -> None:
    """Raise `InvalidRequest` unless the https address `url` is on one of the organisation's
    origins.
    """
    allowed = Organisation.objects.values_list("redirect_origins", flat=True).get(
        pk=organisation_id
    )
    if f"https://{urlsplit(url).netloc.lower()}" not in allowed:
        known = ", ".join(allowed) or "none"
        raise InvalidRequest.for_field(
            "redirect_url",
            "redirect_url must be on one of your organisation's registered addresses"
            f" ({known}). Ask the exchange to register another",
        )
