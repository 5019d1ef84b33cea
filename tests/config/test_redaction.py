"""Log lines without secrets: by name, by value, and by the forms that secrets have."""

import pytest
from django.conf import settings

from config import redaction
from config.redaction import clean_text, drop_secrets

SECRET = "k7Qd9xV2mP4sR8tW"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {SECRET}",
        f"authorization=basic {SECRET}==",
        f"{{'client_id': 'a', 'client_secret': '{SECRET}'}}",
        f'{{"client_secret": "{SECRET} with \' inside"}}',
        f"grant_type=client_credentials&client_secret={SECRET}&scope=a",
        f"Set-Cookie: sessionid={SECRET}; Path=/",
        f"account_number = '{SECRET}'",
        f"connection to postgresql://app:{SECRET}@db.example:5432/exchange failed",
        f"amqp://:{SECRET}@broker//",
        f"host=db user=app password={SECRET} dbname=exchange",
        f"whsec_{SECRET}",
        f"FLWSECK_TEST-{SECRET}-X",
        f"Internal Server Error: /admin/welcome/Mg/{SECRET}/",
        'new row for relation "b" violates check constraint\nDETAIL:  Failing row contains (1,'
        f" {SECRET}, a name\nof two lines, {SECRET}).",
        f'relation fault DETAIL:  Key (reference)=({SECRET}) already exists. CONTEXT:  "{SECRET}"',
        f'invalid input syntax for type uuid: "{SECRET}"',
        f"syntax error\nLINE 1: ...VALUES ('{SECRET}\n              ^",
    ],
)
def test_secrets_are_removed_from_texts(text: str) -> None:
    cleaned = clean_text(text)
    assert SECRET not in cleaned
    assert "[removed]" in cleaned


def test_the_secrets_of_the_installation_are_removed_wherever_they_are() -> None:
    # Another test may have logged its first line with other settings.
    redaction._values.cache_clear()
    redaction._clean_short.cache_clear()
    for secret in (
        settings.SECRET_KEY,
        settings.FIELD_ENCRYPTION_KEYS[0],
        settings.PAYMENT_PROVIDER["secret_key"],
        settings.PAYMENT_PROVIDER["webhook_hash"],
    ):
        assert clean_text(f"before {secret} after") == "before [removed] after"


@pytest.mark.parametrize(
    "text",
    [
        "Task exchange.tasks.purge_access_tokens[529382a4] succeeded in 0.05 s",
        "route=v1/api/token/<str:token_id> token_id=01a2121c-64a2-70e4-abd7-dd75163c600d",
        "Raise of the token completed: 12 units",
        "http://127.0.0.1:8000/health",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert clean_text(text) == text


def test_what_follows_a_quoted_row_stays() -> None:
    text = (
        f"ERROR\nDETAIL:  Failing row contains ({SECRET}).\n"
        "The above exception was the direct cause of the following exception:\nTraceback"
    )
    assert clean_text(text) == (
        "ERROR\nDETAIL: [removed]\n"
        "The above exception was the direct cause of the following exception:\nTraceback"
    )


def test_values_of_secret_names_are_removed_at_any_depth() -> None:
    event = {"event": "a", "body": {"password": 1, "user": {"account_number": 2, "token_id": 3}}}
    assert drop_secrets(None, "", event) == {
        "event": "a",
        "body": {
            "password": "[removed]",
            "user": {"account_number": "[removed]", "token_id": 3},
        },
    }


@pytest.mark.timeout(300)
@pytest.mark.parametrize("unit", ["token", "a", "secret-", "://a:", "DETAIL: ", "token=' "])
@pytest.mark.one_in(3)
def test_a_long_text_takes_no_quadratic_time(unit: str) -> None:
    # The square of a million steps takes hours.
    assert clean_text(unit * (1_000_000 // len(unit)))
