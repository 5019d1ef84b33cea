"""South Africa: banks with their universal branch codes."""

from config.local.sandbox.banks.entry import banks

BANKS = banks(
    (
        ("632005", "Absa Bank"),
        ("410506", "Access Bank South Africa"),
        ("430000", "African Bank"),
        ("800000", "Albaraka Bank"),
        ("888000", "Bank Zero"),
        ("462005", "Bidvest Bank"),
        ("470010", "Capitec Bank"),
        ("350005", "Citibank South Africa"),
        ("679000", "Discovery Bank"),
        ("250655", "First National Bank"),
        ("570100", "HBZ Bank"),
        ("580105", "Investec Bank"),
        ("198765", "Nedbank"),
        ("683000", "Sasfin Bank"),
        ("051001", "Standard Bank of South Africa"),
        ("730020", "Standard Chartered Bank South Africa"),
        ("678910", "TymeBank"),
    ),
    first_id=401,
    country="ZA",
)
