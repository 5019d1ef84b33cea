"""Approves every pending withdrawal until it is stopped: the finance team of a cluster test."""

import time

import django
from django.db import DatabaseError, close_old_connections, connection

_PAUSE_SECONDS = 0.2
_BATCH = 50


def approve_forever(username: str) -> None:
    """Approve pending withdrawals, oldest first; wait while the database is away."""
    from exchange.core.errors import DomainError
    from exchange.staff.models import StaffUser
    from wallets.withdrawals.models import Withdrawal, WithdrawalStatus
    from wallets.withdrawals.services.decisions import approve

    while True:
        try:
            approver = StaffUser.objects.get(username=username)
            pending = Withdrawal.objects.filter(status=WithdrawalStatus.PENDING).order_by("id")
            for each in pending[:_BATCH]:
                try:
                    approve(
                        withdrawal_id=each.pk,
                        version=each.version,
                        approver=approver,
                        override="The payee was called back",
                    )
                except DomainError as error:  # the other approver was first
                    print(error, flush=True)
        except DatabaseError as error:
            print("database:", str(error).strip().splitlines()[-1], flush=True)
            connection.close()
        close_old_connections()
        time.sleep(_PAUSE_SECONDS)


if __name__ == "__main__":
    django.setup()
    approve_forever("amina")
