"""Uganda: banks with their BICs."""

from config.local.sandbox.banks.entry import banks

BANKS = banks(
    (
        ("BARCUGKX", "Absa Bank Uganda"),
        ("AFRIUGKA", "Bank of Africa Uganda"),
        ("BARBUGKA", "Bank of Baroda Uganda"),
        ("BKIDUGKA", "Bank of India Uganda"),
        ("CAIEUGKA", "Cairo Bank Uganda"),
        ("CERBUGKA", "Centenary Bank"),
        ("CITIUGKA", "Citibank Uganda"),
        ("DFCUUGKA", "dfcu Bank"),
        ("DTKEUGKA", "Diamond Trust Bank Uganda"),
        ("ECOCUGKA", "Ecobank Uganda"),
        ("EQBLUGKA", "Equity Bank Uganda"),
        ("EXTNUGKA", "Exim Bank Uganda"),
        ("GTBIUGKA", "Guaranty Trust Bank Uganda"),
        ("HFINUGKA", "Housing Finance Bank"),
        ("ORINUGKA", "I&M Bank Uganda"),
        ("KCBLUGKA", "KCB Bank Uganda"),
        ("CBAFUGKA", "NCBA Bank Uganda"),
        ("SBICUGKX", "Stanbic Bank Uganda"),
        ("SCBLUGKA", "Standard Chartered Bank Uganda"),
        ("TROAUGKA", "Tropical Bank"),
        ("UNAFUGKA", "United Bank for Africa Uganda"),
    ),
    first_id=501,
    country="UG",
    towns=("Kampala Main", "Entebbe Road", "Jinja", "Mbarara"),
)
