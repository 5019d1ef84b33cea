"""Ghana: banks with the sort codes of their head offices, prefixed as the provider does."""

from config.local.sandbox.banks.entry import banks

BANKS = banks(
    (
        ("GH020100", "Standard Chartered Bank Ghana"),
        ("GH030100", "Absa Bank Ghana"),
        ("GH040100", "GCB Bank"),
        ("GH050100", "National Investment Bank"),
        ("GH060100", "United Bank for Africa Ghana"),
        ("GH080100", "Agricultural Development Bank"),
        ("GH090100", "Societe Generale Ghana"),
        ("GH100100", "Universal Merchant Bank"),
        ("GH110100", "Republic Bank Ghana"),
        ("GH120100", "Zenith Bank Ghana"),
        ("GH130100", "Ecobank Ghana"),
        ("GH140100", "CalBank"),
        ("GH170100", "First Atlantic Bank"),
        ("GH180100", "Prudential Bank"),
        ("GH190100", "Stanbic Bank Ghana"),
        ("GH210100", "Bank of Africa Ghana"),
        ("GH230100", "Guaranty Trust Bank Ghana"),
        ("GH240100", "Fidelity Bank Ghana"),
        ("GH280100", "Access Bank Ghana"),
    ),
    first_id=301,
    country="GH",
    towns=("Accra Main", "Kumasi Adum", "Takoradi Harbour", "Tamale Central"),
)
