"""`manage.py load_tokens`: list an issuer's file, or report its errors line by line."""

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from exchange.participants.models import Organisation
from exchange.tokens.models import Token
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.wallets import assert_books_hold
from wallets.ledger.models import Account, Entry

pytestmark = pytest.mark.django_db

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
HEADER = (
    "name,symbol,currency,investment_type,investment_category,total_supply,price_buy,price_sell"
)
GOOD = "Rift Valley Tea,RVT,KES,Debt,Debt Note,1000,100,98"


class Terminal(io.StringIO):
    """A standard error stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def issuer() -> Organisation:
    return Organisation.objects.create(name="Kericho Estates", email="desk@kericho.test")


@pytest.fixture
def load(tmp_path: Path, issuer: Organisation) -> Any:
    """Write a file and load it; return both outputs, and the error or ""."""

    def write_and_load(content: str | bytes, *options: str, name: str = "tokens.csv") -> Any:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        output, errors = io.StringIO(), io.StringIO()
        arguments = options if "--issuer" in options else ("--issuer", issuer.name, *options)
        try:
            call_command("load_tokens", str(path), *arguments, stdout=output, stderr=errors)
        except CommandError as error:
            return output.getvalue(), errors.getvalue(), str(error).removeprefix(f"{path}: ")
        return output.getvalue(), errors.getvalue(), ""

    return write_and_load


def lines(*rows: str, header: str = HEADER) -> str:
    return "\n".join((header, *rows)) + "\n"


def parse_errors(errors: str) -> dict[str, str]:
    """Return the errors reported for each row."""
    errors_by_row = (line.split(" ", 1)[1].partition(": ") for line in errors.splitlines())
    return {where: what for where, _, what in errors_by_row}


def load_example(name: str) -> str:
    output = io.StringIO()
    call_command("load_tokens", str(EXAMPLES / name), issuer="Desk@Kericho.test", stdout=output)
    return output.getvalue()


def test_the_csv_example_of_the_documentation_loads(issuer):
    assert load_example("tokens.csv") == "4 tokens loaded\n"
    oguta = Token.objects.get(symbol="OGUTA")
    assert (oguta.price_buy, oguta.price_sell, oguta.price_exchange) == (250, 240, 1500)
    assert (oguta.raise_amount, oguta.completed_raise) == (31_250_000, False)
    assert (oguta.min_trade_buy, oguta.max_trade_buy, oguta.min_trade_sell) == (5000, 5000000, 0)
    assert (oguta.investment_type, oguta.listing_reference) == ("the service", "REQ-1001")
    seed = Token.objects.get(symbol="HARMT")
    assert (seed.name, seed.deal_access, seed.carry) == ("Harmattan Pay, Seed SAFE", "Private", 20)
    cashew = Token.objects.get(symbol="CASHW")
    assert (cashew.secondaries, cashew.tenor, cashew.max_sell) == (True, 270, 30000)
    assert cashew.payout_frequency == "At Maturity"
    assert_books_hold()


def test_the_json_example_of_the_documentation_loads(issuer):
    assert load_example("tokens.json") == "2 tokens loaded\n"
    cashew = Token.objects.get(symbol="CASHW")
    assert (cashew.price_buy, cashew.min_buy, cashew.secondaries) == (25000, 20000, True)


def test_units_are_issued_to_the_issuer_and_the_books_hold(load, issuer):
    assert load(lines(GOOD)) == ("1 token loaded\n", "", "")
    token = Token.objects.get(symbol="RVT")
    held = Account.objects.get(owner_id=issuer.id, asset_id=str(token.id))
    assert (held.balance, held.kind) == (Decimal(1000), "available")
    assert (token.buy_fee, token.tenor, token.completed_raise) == (0, 0, True)
    assert_books_hold()


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + lines(GOOD).encode(),
        lines(GOOD).encode("utf-16"),
        lines(GOOD).replace(",", ";").encode(),
        b"sep=;\r\n" + lines(GOOD).replace(",", ";").replace("\n", "\r\n").encode(),
        lines(GOOD).replace(",", "\t").encode(),
        lines(GOOD).replace("\n", "\r\n").encode(),
        lines("", GOOD, " , , ,,,,,").encode(),
        lines(GOOD.replace(",", " ,  ")).encode(),
        lines(GOOD.lower().replace("rvt", "RVT"), header=HEADER.upper()).encode(),
        lines(GOOD + ",", header=HEADER + ",").encode(),
        lines(
            GOOD,
            header="Name,Symbol,Currency,Investment Type,investmentCategory,"
            "Total Supply (units),price.buy,Price (Sell)",
        ).encode(),
    ],
    ids=[
        *("byte-order mark", "UTF-16", "semicolons", "Excel's note of the separator", "tabs"),
        *("Windows line ends", "blank lines", "spaces", "capitals", "an empty last column"),
        "names as people write them",
    ],
)
def test_a_file_as_a_spreadsheet_saves_it_loads(load, content):
    assert load(content) == ("1 token loaded\n", "", "")
    token = Token.objects.get(symbol="RVT")
    assert (token.total_supply, token.price_buy, token.price_sell) == (1000, 100, 98)
    assert (token.investment_type, token.investment_category) == ("Debt", "Debt Note")


def test_every_invalid_row_is_reported_with_all_errors_and_nothing_is_loaded(load):
    header = HEADER + ",buy_fee,tenor,payout_frequency,image,secondaries"
    said = load(
        lines(
            GOOD + ",1.5,365,Monthly,,",
            'Tea,T1,KES,Debt,Debt Note,"1,000",100,98,5%,12.5,Weekly,ftp://x,maybe',
            ",T2,EUR,Bonds,Debt Note,0,-3,98.123,60,,,,",
            '"Two',
            'lines",T3,KES,Debt,Bond,10,1e3,N/A,,,,,',
            header=header,
        )
    )
    assert said[0] == ""
    assert said[2] == "3 of 4 rows invalid; nothing loaded"
    assert parse_errors(said[1]) == {
        "3 (T1)": "total_supply must be plain digits with a decimal point and no thousands"
        " separator, such as 1000 or 90.02, not '1,000';"
        " buy_fee must be a number without a percent sign: 5 for 5%, not '5%';"
        " tenor must be a whole number of days, not '12.5';"
        " payout_frequency must be one of [Monthly, Quarterly, Semi-Annually, Annually,"
        " At Maturity], not 'Weekly';"
        " image must be an http or https address, or a path, not 'ftp://x';"
        " secondaries must be true or false, not 'maybe'",
        "4 (T2)": "name is required;"
        " currency must be one of [NGN, KES, GHS, ZAR, UGX, TZS, USD], not 'EUR';"
        " investment_type must be one of [the service, SAFE, Debt, Fixed Interest], not 'Bonds';"
        " price_buy must not be negative, not '-3';"
        " price_sell must not have more than 2 decimals; total_supply must be above 0;"
        " buy_fee must be from 0 to 50",
        "5 (T3)": "name must be one line of printable characters;"
        " price_buy must be a number such as 1000 or 90.02, not '1e3';"
        " price_sell must be a number such as 1000 or 90.02, not 'N/A'",
    }
    assert not Token.objects.exists()
    assert not Entry.objects.exists()


def test_a_long_cell_is_truncated_in_messages(load):
    cells = ("x" * 40, "x" * 41)
    rows = (f"{GOOD.replace('RVT', f'T{n}')},{cell}" for n, cell in enumerate(cells))
    _, errors, _ = load(lines(*rows, header=HEADER + ",secondaries"))
    assert parse_errors(errors) == {
        "2 (T0)": f"secondaries must be true or false, not '{'x' * 40}'",
        "3 (T1)": f"secondaries must be true or false, not '{'x' * 37}…'",
    }


def test_a_number_has_forty_characters_at_most(load):
    cells = (f"{'0' * 36}1000", f"{'0' * 37}1000")
    rows = (GOOD.replace("RVT", f"T{n}").replace("1000", cell) for n, cell in enumerate(cells))
    _, errors, _ = load(lines(*rows), "--skip-bad")
    assert parse_errors(errors) == {
        "3 (T1)": f"total_supply must be a number such as 1000 or 90.02, not '{'0' * 37}…'"
    }
    assert Token.objects.get().total_supply == 1000


def test_a_tenor_is_as_long_as_its_column(load):
    days = (2**31 - 1, 2**31)
    rows = (f"{GOOD.replace('RVT', f'T{n}')},{tenor}" for n, tenor in enumerate(days))
    _, errors, _ = load(lines(*rows, header=HEADER + ",tenor"), "--skip-bad")
    assert parse_errors(errors) == {
        "3 (T1)": f"tenor must be a whole number of days, not '{2**31}'"
    }
    assert Token.objects.get().tenor == 2**31 - 1


def test_a_token_does_not_sell_above_what_it_buys_at(load):
    said = load(
        lines(
            GOOD.replace("RVT,KES,Debt,Debt Note,1000,100,98", "T1,KES,Debt,Debt Note,9,98,98.01"),
            GOOD.replace("RVT,KES,Debt,Debt Note,1000,100,98", "T2,KES,Debt,Debt Note,9,x,98.01"),
            GOOD.replace("RVT,KES,Debt,Debt Note,1000,100,98", "T3,KES,Debt,Debt Note,9,0.5,x"),
        )
    )
    assert parse_errors(said[1]) == {
        "2 (T1)": "price_sell must not be above price_buy",
        # What cannot be read is compared with nothing.
        "3 (T2)": "price_buy must be a number such as 1000 or 90.02, not 'x'",
        "4 (T3)": "price_sell must be a number such as 1000 or 90.02, not 'x'",
    }
    assert not Token.objects.exists()
    equal = GOOD.replace("RVT,KES,Debt,Debt Note,1000,100,98", "T1,KES,Debt,Debt Note,9,98,98")
    assert load(lines(equal))[0] == "1 token loaded\n"


@pytest.mark.parametrize("option", ["--skip-bad", "--continue-on-error"])
def test_valid_rows_load_when_invalid_ones_are_skipped(load, option):
    said = load(
        lines(GOOD, "Tea,T1,KES,Debt,Debt Note,1000,100,", GOOD.replace("RVT", "T2")), option
    )
    assert said == (
        "",
        "line 3 (T1): price_sell is required\n",
        "1 of 3 rows invalid; 2 tokens loaded",
    )
    assert set(Token.objects.values_list("symbol", flat=True)) == {"RVT", "T2"}
    assert_books_hold()


def test_a_dry_run_checks_and_loads_nothing(load):
    assert load(lines(GOOD), "--dry-run") == ("1 row valid; nothing loaded (dry run)\n", "", "")
    bad = lines(GOOD, "Tea,T1,KES,Debt,Debt Note,1000,100,x")
    said = load(bad, "--dry-run", "--skip-bad")
    assert said[2] == "1 of 2 rows invalid; nothing loaded (dry run)"
    assert not Token.objects.exists()


def test_a_symbol_may_come_once_in_the_file_and_on_the_exchange_whatever_its_case(load):
    load(lines(GOOD))
    said = load(
        lines(GOOD.replace("RVT", "rvt"), GOOD.replace("RVT", "NEW"), GOOD.replace("RVT", "new"))
    )
    assert parse_errors(said[1]) == {
        "2 (rvt)": "symbol: a token with symbol RVT exists already",
        "4 (new)": "symbol: line 3 has new too",
    }
    assert Token.objects.count() == 1


def test_json_items_are_reported_by_number(load):
    load((EXAMPLES / "tokens.csv").read_bytes())
    said = load((EXAMPLES / "tokens.json").read_bytes(), name="tokens.json")
    assert said[1].startswith("item 1 (OGUTA): ")
    assert parse_errors(said[1]) == {
        "1 (OGUTA)": "symbol: a token with symbol OGUTA exists already",
        "2 (CASHW)": "symbol: a token with symbol CASHW exists already",
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "The file is empty"),
        (HEADER, "The file has no rows"),
        (
            lines(GOOD + ",1,2", header=HEADER.replace("total_supply", "units") + ",x,price.buy"),
            "unknown column 'units'; unknown column 'x'; 'price_buy' and 'price.buy' are both"
            " price_buy; missing columns: total_supply",
        ),
        (
            lines(GOOD, header=HEADER.replace("total_supply", "total_suply")),
            "unknown column 'total_suply' (did you mean total_supply?);"
            " missing columns: total_supply",
        ),
        (lines(GOOD + '"', '"'), "Line 3: unexpected end of data"),
        (lines(GOOD, GOOD.replace("Tea", "Thé")).encode("latin-1"), "Line 3 is not UTF-8: save the"
         " file as 'CSV UTF-8'"),
        ('[{"name": 1},\n{"name" 2}]', "Line 2: not JSON: Expecting ':' delimiter"),
        ('[{"name": NaN}]', "Invalid JSON: NaN is not a number"),
        ('{"name": "x"}', "JSON must be an array of tokens, or an object with one as `tokens`"),
        ("[1, 2", "Line 1: not JSON: Expecting ',' delimiter"),
        ("[] []", "Line 1: not JSON: Extra data"),
        ("[]", "missing columns: name, symbol, currency, investment_type, investment_category,"
         " total_supply, price_buy, price_sell"),
        ("[" * 100_000, None),
    ],
)  # fmt: skip
def test_an_invalid_file_is_rejected_in_one_line(load, content, message):
    said = load(content)
    assert said[:2] == ("", "")
    if message is not None:
        assert said[2] == message
    assert said[2]
    assert len(said[2].splitlines()) == 1


def test_misplaced_cells_are_reported(load):
    said = load(
        lines(GOOD + ",2", GOOD.rpartition(",")[0], GOOD.replace("RVT", "T2") + ",,"),
        "--skip-bad",
    )
    assert parse_errors(said[1]) == {
        "2 (RVT)": "has 9 cells, the header has 8",
        "3 (RVT)": "has 7 cells, the header has 8; price_sell is required;"
        " symbol: line 2 has RVT too",
    }
    said = load(lines(GOOD.replace("RVT", "T3") + ",2", header=HEADER + ", "))
    assert parse_errors(said[1]) == {"2 (T3)": "cell 9 is in a column without a name"}


def test_an_api_response_can_be_loaded(load):
    load(lines(GOOD))
    document = json.loads(Token.objects.get(symbol="RVT").document)
    document |= {"symbol": "RVT2", "creator": None}
    document_list = {"status": "success", "message": "x", "data": {"page": 1, "tokens": [document]}}
    said = load(json.dumps(document_list), name="tokens.json")
    assert said[0] == "1 token loaded\n"
    assert said[1].startswith("Ignored columns, managed by the exchange: _id, reference,")
    copy = Token.objects.get(symbol="RVT2")
    assert (copy.total_supply, copy.price_buy, copy.supply) == (1000, 100, 1000)


def test_json_numbers_are_exact_and_errors_name_the_item(load):
    good = {
        "name": "Tea",
        "symbol": "T1",
        "currency": "USD",
        "investment_type": "safe",
        "investment_category": "startup",
        "total_supply": "999999999999999.12345678",
        "price": {"buy": 0, "sell": 0.1},
        "esop_token": True,
        "carry": None,
    }
    text = json.dumps(good).replace('"buy": 0', '"buy": 0.30')
    rows = (
        text,
        '{"name": true, "name": "x", "symbol": "T2", "price": {"buy": [1], "sell": "1.000,5"}}',
        '"T3"',
    )
    said = load("[" + ",\n".join(rows) + "\n]", "--skip-bad", name="tokens.json")
    errors_by_row = parse_errors(said[1])
    assert errors_by_row["2 (T2)"].startswith(
        "name comes twice; price_buy must be a single value; currency is required;"
    )
    assert "price_sell must be plain digits" in errors_by_row["2 (T2)"]
    assert errors_by_row["3"].startswith("is not an object; name is required; symbol is required;")
    token = Token.objects.get()
    assert token.total_supply == Decimal("999999999999999.12345678")
    assert (token.price_buy, token.price_sell) == (Decimal("0.3"), Decimal("0.1"))
    assert (token.investment_type, token.investment_category) == ("SAFE", "Startup")
    assert token.esop_token is True


def test_a_row_may_name_its_own_issuer_and_creator(load, issuer):
    other = make_organisation("Limuru Growers")
    member = make_member(other, email="ann@limuru.test")
    header = HEADER + ",issuer,creator"
    load(
        lines(
            GOOD + ",limuru growers,Ann@limuru.test",
            GOOD.replace("RVT", "T2") + ",,",
            header=header,
        )
    )
    assert Token.objects.get(symbol="RVT").issuer == other
    assert Token.objects.get(symbol="RVT").creator == member
    assert Token.objects.get(symbol="T2").issuer == issuer
    make_organisation("Limuru Growers")
    said = load(
        lines(
            GOOD.replace("RVT", "T3") + f",Limuru Growers,{member.id}",
            GOOD.replace("RVT", "T4") + f",Unknown,{member.id}",
            GOOD.replace("RVT", "T5") + f",{issuer.id},{member.id}",
            header=header,
        )
    )
    assert parse_errors(said[1]) == {
        "2 (T3)": "issuer: more than one organisation matches 'Limuru Growers'",
        "3 (T4)": "issuer: no organisation matches 'Unknown'",
        "4 (T5)": f"creator: '{member.id}' is not a member of Kericho Estates",
    }


def test_without_an_issuer_nothing_is_loaded(load, tmp_path):
    assert (
        load(lines(GOOD), "--issuer", "Unknown")[2] == "issuer: no organisation matches 'Unknown'"
    )
    (tmp_path / "x.csv").write_text(lines(GOOD))
    stderr = io.StringIO()
    with pytest.raises(CommandError, match="1 of 1 row invalid; nothing loaded"):
        call_command("load_tokens", str(tmp_path / "x.csv"), stderr=stderr)
    assert parse_errors(stderr.getvalue()) == {
        "2 (RVT)": "issuer: required in the row or with --issuer"
    }
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("load_tokens", str(tmp_path / "nowhere.csv"), issuer="Kericho Estates")


def test_a_raise_is_opened_as_the_row_says(load):
    header = HEADER + ",raise_amount,offered,secondaries"
    said = load(
        lines(
            GOOD + ",40000,400,",
            GOOD.replace("RVT", "T2") + ",40000,4000,",
            GOOD.replace("RVT", "T3") + ",40000,,yes",
            header=header,
        ),
        "--skip-bad",
    )
    assert parse_errors(said[1]) == {
        "3 (T2)": "offered must be above 0 and not above total_supply",
        "4 (T3)": "secondaries opens after the raise",
    }
    token = Token.objects.get()
    kinds = Account.objects.filter(asset_id=str(token.id), owner_id=token.issuer_id)
    assert dict(kinds.values_list("kind", "balance")) == {"unsold": 400, "available": 600}
    assert_books_hold()


def test_progress_is_shown_only_on_a_terminal(tmp_path, issuer):
    path = tmp_path / "tokens.csv"
    path.write_text(lines(GOOD, GOOD.replace("RVT", "T2")))
    errors, output = Terminal(), io.StringIO()
    call_command("load_tokens", str(path), issuer=issuer.name, stderr=errors, stdout=output)
    drawn = errors.getvalue()
    full = "[" + "#" * 30 + "] 2/2\n"
    assert drawn.endswith(f"\rlisting  {full}")
    assert f"\rchecking {full}" in drawn
    assert output.getvalue() == "2 tokens loaded\n"
