"""Tax rates by two people, and owners with what tax follows from."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from credit.tax_rates.models import TaxRate
from credit.tax_rates.services import RateTerms, approve_rate, propose_rate
from exchange.participants.models import Member, Organisation
from exchange.staff.models import StaffUser
from tests.factories.wallets import make_staff


def today() -> date:
    """Return the day in UTC."""
    return timezone.now().date()


def rate_proposer() -> StaffUser:
    return make_staff("propose_taxrate")


def rate_decider() -> StaffUser:
    return make_staff("decide_taxrate")


def rate_terms(percent: str | int = 10, **changes: Any) -> RateTerms:
    """Return terms: a rate on dividends of issuers in Nigeria, for anyone, from today on.

    A `timedelta` is a day, counted from today.
    """
    values: dict[str, Any] = {
        "type": "Dividend",
        "issuer_country": "NG",
        "valid_from": today(),
        "note": "Section 80 of the act",
    }
    dated: dict[str, Any] = {
        name: today() + value if isinstance(value, timedelta) else value
        for name, value in {**values, **changes}.items()
    }
    return RateTerms(percent=Decimal(percent), **dated)


def make_rate(percent: str | int = 10, **changes: Any) -> TaxRate:
    """Propose a rate and approve it as another person."""
    proposed = propose_rate(terms=rate_terms(percent, **changes), user=rate_proposer())
    return approve_rate(rate_id=proposed.pk, user=rate_decider())


def tax_facts(**changes: str) -> dict[str, str]:
    """Return the tax details of a company in Ghana, as proposed."""
    facts = {"holder_kind": "company", "tax_residence": "GH", "tax_id": "C-0017"}
    return facts | {"note": "Certificate of the tax authority"} | changes


def set_tax_facts(owner: Organisation | Member, **facts: str) -> None:
    """Set residence and kind of an owner, as after two people decided."""
    for name, value in facts.items():
        setattr(owner, name, value)
    owner.save(update_fields=[*facts])
