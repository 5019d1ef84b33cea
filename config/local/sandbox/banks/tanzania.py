"""Tanzania: banks with their BICs."""

from config.local.sandbox.banks.entry import banks

BANKS = banks(
    (
        ("BARCTZTZ", "Absa Bank Tanzania"),
        ("AKCOTZTZ", "Akiba Commercial Bank"),
        ("AMNNTZTZ", "Amana Bank"),
        ("AZANTZTZ", "Azania Bank"),
        ("EUAFTZTZ", "Bank of Africa Tanzania"),
        ("BARBTZTZ", "Bank of Baroda Tanzania"),
        ("BKIDTZTZ", "Bank of India Tanzania"),
        ("CITITZTZ", "Citibank Tanzania"),
        ("CORUTZTZ", "CRDB Bank"),
        ("DTKETZTZ", "Diamond Trust Bank Tanzania"),
        ("ECOCTZTZ", "Ecobank Tanzania"),
        ("EQBLTZTZ", "Equity Bank Tanzania"),
        ("EXTNTZTZ", "Exim Bank Tanzania"),
        ("IMBLTZTZ", "I&M Bank Tanzania"),
        ("KCBLTZTZ", "KCB Bank Tanzania"),
        ("NLCBTZTX", "National Bank of Commerce"),
        ("NMIBTZTZ", "NMB Bank"),
        ("SBICTZTX", "Stanbic Bank Tanzania"),
        ("SCBLTZTX", "Standard Chartered Bank Tanzania"),
        ("TAPBTZTZ", "Tanzania Commercial Bank"),
        ("UNAFTZTZ", "United Bank for Africa Tanzania"),
    ),
    first_id=601,
    country="TZ",
    towns=("Dar es Salaam Main", "Arusha", "Mwanza", "Dodoma"),
)
