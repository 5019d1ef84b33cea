"""A record of every model of the back office, and known secrets to search pages for."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Model
from django.utils import timezone

from config.back_office.roles import ADMINISTRATOR, FINANCE_APPROVER, get_role
from config.books import WALLET_CHECKS
from credit.configurations.models import LoanConfiguration
from credit.distributions.models import Distribution
from credit.distributions.services.proposals import propose_distribution
from credit.loans.models import ClosureAction, Loan
from credit.loans.services import servicing
from credit.loans.services.closures import propose_closure
from credit.loans.services.lending import create_loan
from credit.tax_rates.services import propose_rate, propose_tax_facts
from exchange.core.actors import Actor
from exchange.events.services.endpoints import rotate_secret, send_test, set_endpoint
from exchange.exports import services as exports
from exchange.exports.sources import DateRange
from exchange.participants.services.api_keys import issue_access_token, issue_api_key
from exchange.requests.models import LoggedRequest, ReadCount
from exchange.staff.models import AccessEvent, MailKind, StaffUser
from exchange.staff.services import second_factor
from exchange.staff.services.access_records import record_access_event
from exchange.staff.services.mail import queue_mail
from exchange.staff.services.proposals import propose_invitation
from exchange.tokens.services import quotes
from orders.freezing.services import freeze_owner
from orders.listings.models import TokenAction
from orders.listings.services.proposals import propose_token_action
from tests.factories.adjustments import entry_terms
from tests.factories.api_clients import TESTER, make_member, make_organisation
from tests.factories.bank_statements import document, entry, make_line, statement, upload
from tests.factories.breaks import make_break
from tests.factories.conversions import convert, set_rates
from tests.factories.deposits import Owner, arrive, make_virtual_account, transaction_record
from tests.factories.distributions import interest_terms, make_distribution, make_holding
from tests.factories.lending import make_lending
from tests.factories.lifecycle import propose_new_terms
from tests.factories.loan_configurations import make_configuration, pending_version
from tests.factories.passkeys import add_passkey
from tests.factories.periods import MONTH
from tests.factories.request_log import log_requests
from tests.factories.staff import create_staff, create_superuser
from tests.factories.tax_rates import rate_terms, tax_facts
from tests.factories.traders import Trader
from tests.factories.transfers import transfer
from tests.factories.treasury import write_off_and_top_up
from tests.factories.wallets import Wallet, make_wallet, store_bank_list
from wallets.adjustments.services import propose_adjustment
from wallets.alerts.services import raise_alert, resolve_alert
from wallets.bank_statements.models import StatementLine
from wallets.deposits.models import Deposit, DepositStatus, Payment, PaymentAction
from wallets.deposits.services import manual as deposits
from wallets.deposits.services.reversals import propose_reversal
from wallets.deposits.services.unmatched import propose_resolution
from wallets.fees import services as configuration
from wallets.freezes.services import propose_lift
from wallets.ledger.proof import prove_and_store
from wallets.payouts.models import Proposal, ProposalAction
from wallets.periods.services import propose_close
from wallets.providers.models import ProviderEvent
from wallets.reconciliation.models import ReconciliationBreak
from wallets.reconciliation.services import explanations, reports
from wallets.withdrawals.models import Withdrawal
from wallets.withdrawals.services import decisions
from wallets.withdrawals.services.bulk import queue_approvals

PASSWORD = "correct horse battery"


@dataclass
class EveryRecord:
    """Records for the URLs of the back office."""

    # The record to open the pages of a model with.
    records: dict[type[Model], Any] = field(default_factory=dict)
    # The ids of a record and its proposal, for URLs that name both.
    proposals: dict[type[Model], tuple[Any, Any]] = field(default_factory=dict)
    # By description; none of them may appear on a page.
    secrets: dict[str, str] = field(default_factory=dict)

    def add(self, found: Any) -> Any:
        """Use `found` as the record of its model."""
        self.records[found._meta.concrete_model] = found
        return found


def make_every_record() -> EveryRecord:
    """Make at least one record of every model."""
    every_record = EveryRecord()
    store_bank_list()
    staff = _people(every_record)
    _money(every_record, *staff)
    _market_and_loan(every_record, staff[0])
    _distributions(every_record, staff[0])
    _access(every_record)
    raise_alert("float", subject="NGN", message="Too little NGN at the provider")
    prove_and_store(WALLET_CHECKS)
    every_record.add(propose_close(month=MONTH.first, user=staff[0]))
    _, file = exports.start_export(
        source="wallets.withdrawal", query="", span=DateRange(), form="csv", user=staff[0]
    )
    if file is not None:
        file.close()
    return every_record


def _people(every_record: EveryRecord) -> tuple[StaffUser, StaffUser]:
    """Make two people with all permissions, and one whose page is opened."""
    owner = create_superuser("owner", password=PASSWORD)
    finance = create_staff("decider", PASSWORD, FINANCE_APPROVER)
    person = create_staff("colleague", PASSWORD, ADMINISTRATOR)
    invited = propose_invitation(username="invited", role=get_role(ADMINISTRATOR), by=finance)
    every_record.add(invited)
    secret = second_factor.new_secret()
    code = second_factor.code_at(secret=secret, step=second_factor.current_step())
    codes = second_factor.set_up(user=person, secret=secret, code=code)
    add_passkey(person)
    record_access_event(event=AccessEvent.SIGNED_IN, user=person, address="192.0.2.1")
    queue_mail(
        kind=MailKind.ALERT, key="1", subject="Alert: float", body="About", recipients=[person]
    )
    every_record.add(StaffUser.objects.get(pk=person.pk))
    every_record.secrets |= {
        "TOTP secret": secret,
        "TOTP secret as it is read out": " ".join(_by_fours(secret)),
        "password": PASSWORD,
        "password hash": every_record.records[StaffUser].password,
        **{f"recovery code {number}": code for number, code in enumerate(codes)},
    }
    return owner, finance


def _by_fours(text: str) -> Iterator[str]:
    return (text[start : start + 4] for start in range(0, len(text), 4))


def _money(every_record: EveryRecord, owner: StaffUser, finance: StaffUser) -> None:
    """Deposits, figures, withdrawals, a payout that was lost, and a report of the provider's."""
    wallet = make_wallet(5000)
    member = Wallet(wallet.organisation, make_member(wallet.organisation))
    set_rates()
    every_record.add(transfer(wallet, member, 200))
    every_record.add(convert(member, 129, "KES", "USD"))
    payment = deposits.IncomingPayment(
        organisation_id=wallet.organisation.id,
        member_id=None,
        currency="KES",
        amount=Decimal(700),
        reference="by hand",
    )
    every_record.add(deposits.enter(payment=payment, user=owner))
    completed = Deposit.objects.filter(status=DepositStatus.COMPLETED).earliest("pk")
    every_record.add(
        propose_reversal(deposit_id=completed.pk, explanation="Chargeback FLW-7", user=owner)
    )
    every_record.add(arrive(transaction_record("unknown", currency="KES")))
    every_record.proposals[Payment] = (
        every_record.records[Payment].pk,
        propose_resolution(
            payment_id=every_record.records[Payment].pk,
            action=PaymentAction.REFUND,
            explanation="Its payer is unknown",
            user=owner,
        ).pk,
    )
    resolve_alert("payment_unmatched", subject=str(every_record.records[Payment].transaction_id))
    line = every_record.add(make_line("5000"))
    every_record.proposals[StatementLine] = (line.pk, completed.pk)
    every_record.add(upload(document(statement(entry("1")))))
    every_record.add(make_virtual_account(Owner(wallet.organisation)))
    debt, write_off, movement = write_off_and_top_up()
    every_record.records[type(debt)] = debt
    every_record.add(write_off)
    every_record.add(movement)
    every_record.add(propose_adjustment(terms=entry_terms(), user=owner))
    every_record.add(queue_approvals(rows=[], reason="", user=finance))
    frozen = freeze_owner(
        owner=make_organisation(), currency=None, reason="Court order", user=finance
    )
    every_record.add(frozen)
    propose_lift(freeze_id=frozen.pk, explanation="Cleared", user=owner)
    every_record.add(
        configuration.propose(
            key="NGN_WITHDRAWAL_FEE",
            value=Decimal("75.5"),
            reason="Costs rose at the bank",
            user=owner,
        )
    )
    decided = wallet.request(600)
    decisions.approve(withdrawal_id=decided.pk, version=decided.version, approver=finance)
    proposal = Proposal.objects.create(
        withdrawal=decided,
        action=ProposalAction.RETURN,
        reason="The provider is out",
        proposed_by=finance,
        created_at=timezone.now(),
    )
    every_record.proposals[Withdrawal] = (decided.pk, proposal.pk)
    every_record.add(wallet.request(500))
    ProviderEvent.objects.create(
        digest="d" * 64, reference="payout_x", body="{}", received_at=timezone.now()
    )
    reports.request_report_as_staff(day=timezone.now().date() - timedelta(days=1), user=owner)
    found = make_break()
    explained = explanations.explain_break(
        break_id=found.pk, explanation="A collection of the bank's, booked late", user=owner
    )
    every_record.proposals[ReconciliationBreak] = (found.pk, explained.pk)


def _market_and_loan(every_record: EveryRecord, owner: StaffUser) -> None:
    """Make a token with orders, a trade and a pending quote, a configuration change, and a loan."""
    lending = make_lending()
    loan = create_loan(
        organisation_id=lending.borrower.organisation.id,
        request=lending.request(),
        actor=TESTER,
        made_at=timezone.now() - timedelta(days=150),
    )
    servicing.age_loan(loan.id)
    every_record.add(loan)
    closure = propose_closure(
        loan_id=loan.id, action=ClosureAction.WRITE_OFF, note="No response", user=owner
    )
    every_record.proposals[Loan] = (loan.pk, closure.pk)
    offer = every_record.add(make_configuration(approved=False))
    every_record.proposals[LoanConfiguration] = (offer.pk, pending_version(offer).pk)
    every_record.add(lending.token)
    Trader(lending.borrower).place(lending.token, "Sell", 10_000, 2)
    Trader(make_wallet(100_000, currency="NGN")).place(lending.token, "Buy", 10_000, 1)
    prices = quotes.Prices(Decimal(10_100), Decimal(10_100))
    every_record.add(quotes.propose(token_id=lending.token.pk, prices=prices, user=owner))
    every_record.add(
        propose_token_action(
            token_id=lending.token.pk,
            action=TokenAction.EXIT,
            explanation="The investment was sold",
            user=owner,
        )
    )
    every_record.add(propose_new_terms(lending.token, owner))


def _distributions(every_record: EveryRecord, owner: StaffUser) -> None:
    """Make a recorded distribution, and pending: another one, a tax rate and tax details."""
    token = make_holding().token
    make_distribution(token, "Recorded")
    draft = propose_distribution(
        token_id=token.pk, terms=interest_terms(token), actor=Actor.staff(owner.pk, str(owner))
    )
    every_record.add(draft)
    every_record.proposals[Distribution] = (draft.pk, draft.proposals.get().pk)
    every_record.add(propose_rate(terms=rate_terms(), user=owner))
    every_record.add(propose_tax_facts(owner=token.issuer, **tax_facts(), user=owner))


def _access(every_record: EveryRecord) -> None:
    """Make an API key, an access token and a webhook, each with a secret that was shown once."""
    organisation = make_wallet(10).organisation
    key, secret = issue_api_key(
        organisation=organisation, name="Reports", scopes=settings.SCOPES, actor=TESTER
    )
    every_record.add(key)
    log_requests(key)
    every_record.add(LoggedRequest.objects.get())
    every_record.add(ReadCount.objects.get())
    every_record.secrets["client secret"] = secret
    every_record.secrets["client secret's hash"] = type(key).objects.get(pk=key.pk).client_secret
    every_record.secrets["access token"] = issue_access_token(
        key=key, lifetime=timedelta(hours=1), actor=TESTER
    )
    made = set_endpoint(
        organisation_id=organisation.pk, url="http://127.0.0.1:9/hook", actor=TESTER
    )
    every_record.add(made.endpoint)
    every_record.secrets["webhook secret, the first"] = str(made.secret)
    _, rotated = rotate_secret(organisation_id=organisation.pk, actor=TESTER)
    every_record.secrets["webhook secret, rotated"] = rotated
    every_record.add(send_test(organisation_id=organisation.pk, actor=TESTER))
    every_record.secrets["SECRET_KEY"] = settings.SECRET_KEY
    every_record.secrets["FIELD_ENCRYPTION_KEYS"] = settings.FIELD_ENCRYPTION_KEYS[0]
    every_record.secrets["provider's key"] = settings.PAYMENT_PROVIDER["secret_key"]
    every_record.secrets["hash of the provider's webhooks"] = settings.PAYMENT_PROVIDER[
        "webhook_hash"
    ]
