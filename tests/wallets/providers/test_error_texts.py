"""What each sentence of the provider means, with the HTTP status that it comes with."""

import pytest

from wallets.providers.base import (
    DuplicateReference,
    InsufficientFloat,
    OutcomeUnknown,
    RecipientDeclined,
)
from wallets.providers.flutterwave.error_texts import is_account_not_resolved, transfer_error

BLACKLISTED = "Payout was made to a blacklisted account number"


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        (BLACKLISTED, RecipientDeclined),
        (f"  {BLACKLISTED.upper()} !. ", RecipientDeclined),
        (BLACKLISTED.replace(" ", "\t "), RecipientDeclined),
        # A refusal is the whole sentence.
        (f"{BLACKLISTED} today", OutcomeUnknown),
        ("Transfer with this reference already exists", DuplicateReference),
        ("Duplicate  reference", DuplicateReference),
        ("The reference has already been used.", DuplicateReference),
        ("REFERENCE ALREADY USED", DuplicateReference),
        ("Insufficient funds in wallet", InsufficientFloat),
        ("Insufficient balance", InsufficientFloat),
        ("Insufficient wallet balance", InsufficientFloat),
        ("You do not have sufficient balance.", InsufficientFloat),
        ("Your balance is insufficient", InsufficientFloat),
        ("Please try again", OutcomeUnknown),
        ("", OutcomeUnknown),
    ],
)
def test_a_transfer_is_refused_by_a_listed_sentence_with_status_400(message, meaning):
    refusal = transfer_error(400, message)
    assert type(refusal) is meaning
    if isinstance(refusal, OutcomeUnknown):
        assert (str(refusal), refusal.outage) == (
            f"the provider responded with 400: {message}",
            False,
        )
    else:
        assert str(refusal) == message
    for status, outage in ((200, False), (399, False), (401, False), (402, False), (403, True),
                           (404, False)):  # fmt: skip
        unknown = transfer_error(status, message)
        assert type(unknown) is OutcomeUnknown
        said = f"the provider responded with {status}: {message}"
        assert (str(unknown), unknown.outage) == (said, outage)


def test_an_unresolved_account_is_recognised_by_text_and_status():
    sentences = ("Account could not be validated", "INVALID  ACCOUNT", "Account not found.")
    for status in (200, 399, 400, 401, 403, 404, 405):
        for sentence in sentences:
            assert is_account_not_resolved(status, sentence) is (status == 400), (status, sentence)
        assert not is_account_not_resolved(status, "Please try again")
        assert not is_account_not_resolved(status, "")
