"""Demo cases for the lists that ordinary days leave empty: debts, freezes, proposals, differences.

Each is made once, by the services that staff and clients use. The owners belong to an organisation
of their own, so that no demo order or loan is held up.
"""

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from config.back_office.roles import FINANCE_APPROVER, get_role
from config.local.demo.accounting import load_statement, propose_last_month
from config.local.demo.data import (
    ADMIN,
    APPROVER,
    CASE_DEPOSIT,
    CASE_WITHDRAWAL,
    PAYMENTS,
    PROPOSER,
    SECOND_APPROVER,
)
from config.local.demo.payments import charge_back, deduct_bank_charge, find_payment
from config.local.demo.withdrawals import request_withdrawal_of
from credit.tax_rates.models import TaxedIncome, TaxFactsProposal, TaxRate
from credit.tax_rates.services import RateTerms, propose_rate, propose_tax_facts
from exchange.core.actors import Actor
from exchange.core.currencies import PAYOUT_CURRENCIES
from exchange.exports.models import Export
from exchange.exports.services import start_export
from exchange.exports.sources import DateRange
from exchange.participants.models import Member
from exchange.staff.models import AccessProposal, StaffUser
from exchange.staff.services.proposals import propose_invitation
from orders.freezing.services import confirm_reversal, freeze_owner
from wallets.bank_statements.models import StatementFile
from wallets.conversions.models import Conversion
from wallets.conversions.services import convert_money, quote_conversion
from wallets.deposits.models import Deposit, PaymentAction, PaymentResolution
from wallets.deposits.services.reversals import propose_reversal
from wallets.deposits.services.unmatched import propose_resolution
from wallets.fees import services as fees
from wallets.fees.models import SettingChange
from wallets.fees.selectors import effective_setting
from wallets.ledger.models import PeriodClose
from wallets.payouts.models import Proposal, ProposalAction
from wallets.payouts.services import resolutions
from wallets.receivables.models import Receivable, ReceivableWriteOff
from wallets.receivables.services.write_offs import propose_write_off
from wallets.reconciliation.models import ReconciliationBreak
from wallets.reconciliation.selectors.movements import utc_day
from wallets.reconciliation.services import reports
from wallets.transfers.commands import TransferMoney
from wallets.transfers.models import WalletTransfer
from wallets.transfers.services import transfer_money
from wallets.treasury.models import TreasuryKind, TreasuryMovement
from wallets.treasury.services import MovementTerms, propose_movement
from wallets.withdrawals.services import decisions


def load_cases(members: tuple[Member, ...], actor: Actor) -> bool:
    """Create the missing cases; the first of `members` comes to owe, the second is frozen.

    Returns whether any was missing.
    """
    amina, kwesi, lindiwe, samuel = (
        StaffUser.objects.get(username=name)
        for name in (APPROVER, SECOND_APPROVER, PROPOSER, ADMIN)
    )
    debtor, frozen = members
    cases: tuple[tuple[Callable[[], bool], Callable[[], object]], ...] = (
        (WalletTransfer.objects.exists, lambda: _transfer(debtor, frozen, actor)),
        (Receivable.objects.exists, lambda: _take_back(debtor, amina, kwesi)),
        (ReceivableWriteOff.objects.exists, lambda: _write_off(debtor, kwesi)),
        (Proposal.objects.exists, lambda: _freeze_with_payout(frozen, amina, kwesi)),
        (
            Conversion.objects.exists,
            lambda: _convert(debtor, actor),
        ),
        (PaymentResolution.objects.exists, lambda: _refund(kwesi)),
        (SettingChange.objects.filter(status="Pending").exists, lambda: _change_fee(lindiwe)),
        (TreasuryMovement.objects.exists, lambda: _top_up(kwesi)),
        (TaxRate.objects.exists, lambda: _tax_dividends(lindiwe)),
        (TaxFactsProposal.objects.exists, lambda: _move_abroad(debtor, lindiwe)),
        (AccessProposal.objects.exists, lambda: _invite(samuel)),
        (Export.objects.exists, lambda: _export(amina)),
        (StatementFile.objects.exists, lambda: load_statement(kwesi, amina)),
        (PeriodClose.objects.exists, lambda: propose_last_month(kwesi)),
        (ReconciliationBreak.objects.exists, lambda: _differ(actor)),
    )
    missing = [make for exists, make in cases if not exists()]
    for make in missing:
        make()
    return bool(missing)


def _transfer(payer: Member, payee: Member, actor: Actor) -> None:
    transfer_money(
        TransferMoney(
            organisation=payer.organisation_id,
            member=payer.pk,
            payee=payee.pk,
            currency="NGN",
            amount=Decimal(15_000),
            actor=str(actor),
        )
    )


def _take_back(debtor: Member, maker: StaffUser, checker: StaffUser) -> None:
    """Charge the payment back: what the payer has passed on is owed."""
    charge_back(find_payment(CASE_DEPOSIT))
    proposal = propose_reversal(
        deposit_id=Deposit.objects.get(owner_id=debtor.pk).pk,
        explanation="Charged back by the payer's bank, case 20391",
        user=maker,
    )
    confirm_reversal(reversal_id=proposal.pk, user=checker)


def _write_off(debtor: Member, user: StaffUser) -> None:
    propose_write_off(
        account_id=Receivable.objects.get(owner_id=debtor.pk).pk,
        amount=Decimal(5_000),
        explanation="Agreed with the member: the bank confirmed the fraud",
        user=user,
    )


def _freeze_with_payout(owner: Member, maker: StaffUser, approver: StaffUser) -> None:
    """Freeze the owner of an approved payout before it is sent, and propose to return it."""
    withdrawal = request_withdrawal_of(owner, CASE_WITHDRAWAL)
    with transaction.atomic():
        decisions.approve(
            withdrawal_id=withdrawal.pk,
            version=withdrawal.version,
            approver=approver,
            override=CASE_WITHDRAWAL.override,
        )
        freeze_owner(
            owner=owner, currency=None, reason="Police request 118 of November", user=maker
        )
    resolutions.propose(
        withdrawal_id=withdrawal.pk,
        action=ProposalAction.RETURN,
        reason="The account is under investigation",
        proposer=maker,
    )


def confirm_rates() -> None:
    """Confirm each currency's rate anew once half the time has passed in which it converts."""
    maker, checker = (StaffUser.objects.get(username=name) for name in (PROPOSER, APPROVER))
    oldest = timezone.now() - timedelta(hours=settings.RATE_MAX_AGE_HOURS) / 2
    recent = Q(status="Approved", effective_at__gt=oldest) | Q(status="Pending")
    kept = set(SettingChange.objects.filter(recent).values_list("configuration_id", flat=True))
    for key in (f"{currency}_USD_RATE" for currency in PAYOUT_CURRENCIES):
        if key not in kept:
            rate = effective_setting(key) or Decimal(0)
            change = fees.propose(key=key, value=rate, reason="Rate of the day", user=maker)
            fees.approve(change_id=change.pk, expected_value=rate, user=checker)


def _convert(member: Member, actor: Actor) -> None:
    """Convert between two currencies of the organisation of `member`."""
    quote = json.loads(
        quote_conversion(
            organisation_id=member.organisation_id,
            from_currency="NGN",
            to_currency="KES",
            amount=Decimal(20_000),
            actor=actor,
        )
    )
    convert_money(
        organisation_id=member.organisation_id,
        member_id=None,
        quote_id=UUID(quote["quote_id"]),
        actor=actor,
    )


def _refund(user: StaffUser) -> None:
    propose_resolution(
        payment_id=find_payment(PAYMENTS[-1]).pk,
        action=PaymentAction.REFUND,
        explanation="Paid for an invoice that was cancelled",
        user=user,
    )


def _change_fee(user: StaffUser) -> None:
    fees.propose(
        key="TZS_WITHDRAWAL_FEE",
        value=Decimal(1_600),
        reason="The bank raised its charge in November",
        user=user,
    )


def _top_up(user: StaffUser) -> None:
    terms = MovementTerms(
        kind=TreasuryKind.TOP_UP,
        currency="NGN",
        amount=Decimal(5_000_000),
        reference="GTB/2026/11/0417",
        note="Float for the end of the month",
    )
    propose_movement(terms=terms, user=user)


def _tax_dividends(user: StaffUser) -> None:
    terms = RateTerms(
        type=TaxedIncome.DIVIDEND,
        issuer_country="NG",
        percent=Decimal(10),
        valid_from=utc_day(timezone.now()),
        note="Withholding tax on dividends, section 80",
    )
    propose_rate(terms=terms, user=user)


def _move_abroad(member: Member, user: StaffUser) -> None:
    propose_tax_facts(
        owner=member,
        holder_kind=member.holder_kind,
        tax_residence="GH",
        tax_id="P0012345678",
        note="Certificate of residence of the Ghana Revenue Authority",
        user=user,
    )


def _invite(user: StaffUser) -> None:
    propose_invitation(
        username="neema.finance",
        role=get_role(FINANCE_APPROVER),
        by=user,
        note="Replaces a colleague on leave",
    )


def _export(user: StaffUser) -> None:
    _, file = start_export(
        source="wallets.withdrawal", query="status=all", span=DateRange(), form="csv", user=user
    )
    if file is not None:
        file.close()


def _differ(actor: Actor) -> None:
    """Reconcile an earlier day after a bank charge that the books do not have."""
    deduct_bank_charge("GHS", Decimal("12.50"))
    day = utc_day(timezone.now()) - timedelta(days=2)
    reports.request_report(day=day, actor=actor)
    reports.run_next_report()
