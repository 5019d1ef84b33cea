"""The demo organisations, members, staff, funds and withdrawals; tokens are in `tokens.csv`.

All names are invented.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
    SUPPORT,
)
from wallets.banks.payout_details import PayoutDetails


@dataclass(frozen=True, slots=True)
class DemoMember:
    """A person of a demo organisation."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class DemoOrganisation:
    """A demo organisation, identified by `email`; references contain the `slug`."""

    slug: str
    name: str
    email: str
    members: tuple[DemoMember, ...]

    @property
    def origin(self) -> str:
        """Its website, to which checkouts return payers."""
        return f"https://{self.slug}.example"


@dataclass(frozen=True, slots=True)
class DemoStaff:
    """A back-office login and its role."""

    username: str
    role: str


@dataclass(frozen=True, slots=True)
class DemoWithdrawal:
    """A demo withdrawal, identified by its account number.

    `member` is an index into the organisation's members; None: its own withdrawal.
    """

    organisation: str
    member: int | None
    currency: str
    amount: Decimal
    bank_name: str
    account_name: str
    account_number: str
    becomes: str = "Pending"
    reason: str = ""
    override: str = ""
    corridor: PayoutDetails = field(default_factory=PayoutDetails)


@dataclass(frozen=True, slots=True)
class DemoPayment:
    """A demo payment, identified by its amount: into an account, by card, or without an owner."""

    way: Literal["account", "card", "unmatched"]
    organisation: str
    member: int | None
    currency: str
    amount: Decimal
    payer: str


ORGANISATIONS = (
    DemoOrganisation(
        slug="baobridge",
        name="Baobridge Wealth",
        email="treasury@baobridge.test",
        members=(
            DemoMember("Adaora Nwosu", "adaora.nwosu@example.com"),
            DemoMember("Tunde Alabi", "tunde.alabi@example.com"),
            DemoMember("Halima Garba", "halima.garba@example.com"),
        ),
    ),
    DemoOrganisation(
        slug="mbuyu",
        name="Mbuyu Harvest",
        email="finance@mbuyuharvest.test",
        members=(
            DemoMember("Wanjiru Kamau", "wanjiru.kamau@example.com"),
            DemoMember("Juma Mwakyusa", "juma.mwakyusa@example.com"),
            DemoMember("Nakato Ssali", "nakato.ssali@example.com"),
        ),
    ),
    DemoOrganisation(
        slug="sikadua",
        name="Sikadua Capital",
        email="operations@sikadua.test",
        members=(
            DemoMember("Akosua Mensah", "akosua.mensah@example.com"),
            DemoMember("Kojo Ansah", "kojo.ansah@example.com"),
            DemoMember("Thandi Mokoena", "thandi.mokoena@example.com"),
        ),
    ),
)

# Firms without logins: other issuers, and the market makers.
INSTITUTIONS = (
    DemoOrganisation("kopje", "Kopje Exchange Products", "listings@kopje.test", ()),
    DemoOrganisation("meridian", "Meridian Public Finance", "issues@meridian.test", ()),
    DemoOrganisation("ubuntu", "Ubuntu Property Trust", "trust@ubuntuproperty.test", ()),
    DemoOrganisation("njia", "Njia Ventures", "deals@njia.test", ()),
    DemoOrganisation("savanna", "Savanna Screen and Sound", "rights@savannasound.test", ()),
    DemoOrganisation("mtaji", "Mtaji Securities", "desk@mtaji.test", ()),
    DemoOrganisation("umoja", "Umoja Nominees", "custody@umoja.test", ()),
    DemoOrganisation("zambezi", "Zambezi Custody", "custody@zambezi.test", ()),
)
# Whose members come to owe and are frozen.
CASES = DemoOrganisation(
    slug="pwani",
    name="Pwani Savings Circle",
    email="office@pwani.test",
    members=(
        DemoMember("Baraka Otieno", "baraka.otieno@example.com"),
        DemoMember("Esi Owusu", "esi.owusu@example.com"),
    ),
)
MARKET_MAKERS = ("mtaji", "umoja", "zambezi")

# Opening balances of each organisation and each member. The same amount again is for investments.
ORGANISATION_FUNDS = {
    "NGN": Decimal(25_000_000),
    "KES": Decimal(2_500_000),
    "GHS": Decimal(250_000),
    "ZAR": Decimal(400_000),
    "UGX": Decimal(60_000_000),
    "TZS": Decimal(45_000_000),
    "USD": Decimal(50_000),
}
MEMBER_FUNDS = {
    "NGN": Decimal(2_500_000),
    "KES": Decimal(250_000),
    "GHS": Decimal(25_000),
    "ZAR": Decimal(40_000),
    "UGX": Decimal(6_000_000),
    "TZS": Decimal(4_500_000),
    "USD": Decimal(5_000),
}
# Opening balances of each market maker.
MARKET_MAKER_FUNDS = {
    "NGN": Decimal(30_000_000_000),
    "KES": Decimal(2_500_000_000),
    "GHS": Decimal(250_000_000),
    "ZAR": Decimal(400_000_000),
    "UGX": Decimal(75_000_000_000),
    "TZS": Decimal(50_000_000_000),
    "USD": Decimal(20_000_000),
}


def total_deposits() -> dict[str, Decimal]:
    """Return all demo deposits per currency: the opening balances of the sandbox provider."""
    total = dict.fromkeys(MEMBER_FUNDS, Decimal(0))
    for currency in total:
        for organisation in ORGANISATIONS:
            members = len(organisation.members)
            own = ORGANISATION_FUNDS[currency] + members * MEMBER_FUNDS[currency]
            total[currency] += 2 * own  # including the funds to invest
        total[currency] += len(MARKET_MAKERS) * MARKET_MAKER_FUNDS[currency]
    return total


STAFF = (
    DemoStaff("amina.finance", FINANCE_APPROVER),
    DemoStaff("kwesi.finance", FINANCE_APPROVER),
    DemoStaff("lindiwe.office", BACK_OFFICE),
    DemoStaff("samuel.admin", ADMINISTRATOR),
    DemoStaff("zawadi.audit", AUDITOR),
    DemoStaff("neema.support", SUPPORT),
    DemoStaff("imani.credit", CREDIT_OFFICER),
    DemoStaff("sefu.credit", CREDIT_OFFICER),
)
# Approves withdrawals, quotes and what becomes of tokens; proposes the latter; proposes quotes.
APPROVER = "amina.finance"
SECOND_APPROVER = "kwesi.finance"
PROPOSER = "lindiwe.office"
ADMIN = "samuel.admin"
# Approve loan configurations and close loans; lends to members of any organisation.
CREDIT_OFFICERS = ("imani.credit", "sefu.credit")
LENDER = "mtaji"

WITHDRAWALS = (
    DemoWithdrawal(
        "mbuyu", 0, "KES", Decimal("12500.50"), "Equity Bank Kenya", "Wanjiru Kamau", "0180290011"
    ),
    DemoWithdrawal(
        "mbuyu", None, "NGN", Decimal(6_250_000), "Guaranty Trust Bank", "Mbuyu Harvest",
        "0122450017",
    ),
    DemoWithdrawal(
        "mbuyu", 2, "UGX", Decimal(850_000), "Centenary Bank", "Nakato Ssali", "3100290013",
        corridor=PayoutDetails(branch_code="UG060001"),
    ),
    DemoWithdrawal(
        "mbuyu", 1, "TZS", Decimal(480_000), "CRDB Bank", "Juma Mwakyusa", "0150290014",
        becomes="Cancelled",
    ),
    DemoWithdrawal(
        "sikadua", 0, "GHS", Decimal("1450.75"), "GCB Bank", "Akosua Mensah", "1010290015"
    ),
    DemoWithdrawal(
        "sikadua", 2, "ZAR", Decimal(9_800), "Capitec Bank", "Thandi Mokoena", "1340290016"
    ),
    DemoWithdrawal(
        "sikadua", 1, "GHS", Decimal(900), "Fidelity Bank Ghana", "K. Ansah", "1010290018",
        becomes="Rejected", reason="The account is not in the member's own name.",
    ),
    DemoWithdrawal(
        "sikadua", None, "NGN", Decimal(150_000), "Zenith Bank", "Sikadua Capital", "2010290019",
        becomes="Completed",
        override="Zenith Bank confirmed in writing that the account is the treasurer's, in trust.",
    ),
)  # fmt: skip
# The sandbox returns payouts to this account after a few seconds: the provider's balance is then
# above the books until two people reverse the payout.
RETURNED_WITHDRAWAL = DemoWithdrawal(
    "baobridge", 1, "KES", Decimal(18_400), "Equity Bank Kenya", "Tunde Alabi", "0690000038",
    becomes="Completed",
)  # fmt: skip
# Of an owner who is frozen before it is sent; two people may return it.
CASE_WITHDRAWAL = DemoWithdrawal(
    "pwani", 1, "NGN", Decimal(6_500), "Zenith Bank", "Esi Owusu", "2010290021",
    override="Zenith Bank confirmed her name by telephone.",
)  # fmt: skip
# Charged back after a part was passed on.
CASE_DEPOSIT = DemoPayment("account", "pwani", 0, "NGN", Decimal(24_000), "Baraka Otieno")
CASE_PAYMENTS = (
    CASE_DEPOSIT,
    DemoPayment("account", "pwani", None, "NGN", Decimal(90_000), "Pwani Savings Circle"),
)
# A card's money is available after its clearing days. The last two await a decision.
PAYMENTS = (
    DemoPayment("account", "sikadua", 2, "NGN", Decimal("86400.50"), "Thandi Mokoena"),
    DemoPayment("card", "baobridge", 0, "NGN", Decimal(41_250), "Adaora Nwosu"),
    DemoPayment("unmatched", "sikadua", None, "NGN", Decimal(127_300), "Efua Boateng"),
    DemoPayment("unmatched", "sikadua", None, "NGN", Decimal(8_450), "Yaw Darko"),
)
