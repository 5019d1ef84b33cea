"""Kenya: banks with the bank codes of the Nairobi clearing house."""

from config.local.sandbox.banks.entry import banks

BANKS = banks(
    (
        ("01", "KCB Bank Kenya"),
        ("02", "Standard Chartered Bank Kenya"),
        ("03", "Absa Bank Kenya"),
        ("07", "NCBA Bank Kenya"),
        ("10", "Prime Bank"),
        ("11", "Co-operative Bank of Kenya"),
        ("12", "National Bank of Kenya"),
        ("16", "Citibank N.A. Kenya"),
        ("19", "Bank of Africa Kenya"),
        ("23", "Consolidated Bank of Kenya"),
        ("25", "Credit Bank"),
        ("31", "Stanbic Bank Kenya"),
        ("35", "African Banking Corporation"),
        ("43", "Ecobank Kenya"),
        ("54", "Victoria Commercial Bank"),
        ("57", "I&M Bank"),
        ("63", "Diamond Trust Bank Kenya"),
        ("66", "Sidian Bank"),
        ("68", "Equity Bank Kenya"),
        ("70", "Family Bank"),
        ("72", "Gulf African Bank"),
        ("76", "UBA Kenya Bank"),
    ),
    first_id=201,
    country="KE",
)
