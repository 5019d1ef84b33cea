"""Bank statements: own accounts, the import of files, and the matching of their lines.

A match books nothing: it says which record two people approved is the one on the statement. Where
there is none yet, a record is proposed from the line, and another person approves it as always.
"""

from wallets.bank_statements.services.accounts import add_account, save_layout
from wallets.bank_statements.services.files import discard_file, import_file, upload_file
from wallets.bank_statements.services.matching import (
    confirm_match,
    describe_difference,
    propose_record,
    remove_match,
    reopen,
    set_aside,
)
from wallets.bank_statements.services.permission import MATCH

__all__ = [
    "MATCH",
    "add_account",
    "confirm_match",
    "describe_difference",
    "discard_file",
    "import_file",
    "propose_record",
    "remove_match",
    "reopen",
    "save_layout",
    "set_aside",
    "upload_file",
]
