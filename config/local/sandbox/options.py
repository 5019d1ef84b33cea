"""Options of a sandbox. All durations are in seconds."""

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """Options of one sandbox; `data` is the folder of its store. `secret_key` may be several keys,
    comma-separated, as while a key is replaced.

    `delay` is the time between acceptance and outcome, `return_delay` between success and
    return of account 0690000038. `floats` are the opening balances of a new store.
    """

    data: Path
    secret_key: str
    webhook_url: str = ""
    webhook_hash: str = ""
    host: str = "127.0.0.1"
    port: int = 0
    delay: float = 2.0
    return_delay: float = 6.0
    webhook_retry_seconds: float = 30 * 60.0
    webhook_timeout: float = 60.0
    hang_seconds: float = 60.0
    floats: dict[str, Decimal] = field(default_factory=dict)
