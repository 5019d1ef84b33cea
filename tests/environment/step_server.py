"""Run steps that move money, each in a process of its own that a test may have killed at any point.

`python -m tests.environment.step_server` loads the application once and forks a process for each
line of JSON on its input: `step`, `arguments`, and `kill`, the number of the point at which the
process kills itself with SIGKILL, or null. It responds with a line for each.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any
from uuid import UUID

import django
from django.db import connection, connections


class KillPoint:
    """Kills this process at its n-th point: before each SQL statement, before each COMMIT, and
    before each part of a request to the payment provider.
    """

    def __init__(self, number: int) -> None:
        self._left = number
        self._commit = connection.commit
        vars(connections["default"])["commit"] = self._reach_commit
        sys.addaudithook(self._audit)

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self._reach()
        return execute(*arguments)

    def _reach_commit(self) -> None:
        self._reach()
        self._commit()

    def _audit(self, event: str, _: Any) -> None:
        if event == "http.client.send":
            self._reach()

    def _reach(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    django.setup()
    # Models can be imported only now.
    from django.test import Client
    from django.urls import resolve

    from credit.distributions.services import paying
    from exchange.core.actors import Actor
    from exchange.staff.models import StaffUser
    from orders.freezing.services import confirm_reversal
    from wallets.deposits import tasks
    from wallets.deposits.services import crediting, payments, unmatched

    actor = Actor.system("deposits")

    def request(path: str, body: str, headers: dict[str, str]) -> None:
        response = Client().post(path, body, content_type="application/json", headers=headers)
        assert response.status_code < 300, response.content

    def person(user: str) -> StaffUser:
        return StaffUser.objects.get(pk=user)

    steps: dict[str, Callable[..., object]] = {
        "request": request,
        "look_up": lambda payment: payments.look_up(UUID(payment), actor),
        "clear": lambda deposit: crediting.clear(UUID(deposit), actor),
        "find": tasks.find_payments,
        "reverse": lambda reversal, user: confirm_reversal(
            reversal_id=UUID(reversal), user=person(user)
        ),
        "pay_distribution": lambda distribution: paying.pay(UUID(distribution), batch=2),
        "resolve": lambda resolution, user: unmatched.confirm_resolution(
            resolution_id=UUID(resolution), user=person(user)
        ),
    }
    resolve("/hooks/flutterwave")  # imports all views before the forks
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            _run(steps[order["step"]], order["arguments"], order["kill"])
        _, status = os.waitpid(process, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(json.dumps({"killed": killed, "failed": not killed and status != 0}), flush=True)


def _run(step: Callable[..., object], arguments: dict[str, Any], kill: int | None) -> None:
    """Run the step and end this process without the exit handlers of its parent."""
    status = 0
    try:
        if kill:
            with connection.execute_wrapper(KillPoint(kill)):
                step(**arguments)
        else:
            step(**arguments)
    except BaseException:  # noqa: BLE001 - reported to the test, whatever it is
        traceback.print_exc()
        status = 1
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
