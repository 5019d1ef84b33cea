"""The Celery application and its schedule.

Rows own the work, the broker only notifies workers: the scheduled tasks find work whose message was
lost, so a lost or duplicated message only changes the delay.
"""

import time
from datetime import timedelta
from typing import Any

import structlog
from celery import Celery, Task
from celery.signals import beat_init, setup_logging, worker_init
from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES

from config.metrics import addresses, exposition
from config.startup import load_settings
from exchange.core import metrics, task_notifier
from exchange.core.actors import Actor
from exchange.core.audit_context import audit_context

logger = structlog.get_logger(__name__)

# Task name -> period. Workers are notified of most work at once; the period is the delay after a
# lost notification.
SCHEDULE: dict[str, timedelta] = {
    "config.tasks.add_partitions": timedelta(hours=6),
    "config.tasks.mail_staff": timedelta(seconds=5),
    "config.tasks.prove_books": timedelta(hours=1),
    "credit.tasks.age_loans": timedelta(minutes=1),
    "credit.tasks.draft_distributions": timedelta(hours=1),
    "credit.tasks.pay_distributions": timedelta(minutes=1),
    "credit.tasks.record_distributions": timedelta(seconds=5),
    "credit.tasks.revalue_loans": timedelta(hours=1),
    "exchange.tasks.deliver_events": timedelta(seconds=5),
    "exchange.tasks.purge_access_tokens": timedelta(days=1),
    "exchange.tasks.warn_of_expiring_keys": timedelta(hours=6),
    "exchange.tasks.purge_exports": timedelta(hours=6),
    "exchange.tasks.purge_idempotency_keys": timedelta(hours=1),
    "exchange.tasks.purge_requests": timedelta(hours=1),
    "exchange.tasks.purge_sign_in_attempts": timedelta(hours=1),
    "exchange.tasks.write_exports": timedelta(minutes=1),
    "orders.tasks.expire_orders": timedelta(seconds=2),
    "orders.tasks.write_candles": timedelta(minutes=1),
    "wallets.tasks.purge_conversion_quotes": timedelta(hours=1),
    "wallets.tasks.reconcile": timedelta(minutes=10),
    "wallets.tasks.refresh_bank_lists": timedelta(hours=1),
    "wallets.tasks.sweep_payouts": timedelta(seconds=5),
    "wallets.tasks.sweep_deposits": timedelta(seconds=5),
    "wallets.tasks.find_payments": timedelta(minutes=10),
}
_NOTIFICATION_EXPIRES_SECONDS = 60
# Modules with tasks. Task names are explicit, so they survive a move of the module.
TASKS = (
    "config.tasks",
    "exchange.core.tasks",
    "exchange.participants.tasks",
    "exchange.staff.tasks",
    "exchange.events.tasks",
    "exchange.requests.tasks",
    "exchange.exports.tasks",
    "orders.book.tasks",
    "orders.market.tasks",
    "wallets.banks.tasks",
    "wallets.conversions.tasks",
    "wallets.deposits.tasks",
    "wallets.payouts.tasks",
    "wallets.reconciliation.tasks",
    "credit.distributions.tasks",
    "credit.loans.tasks",
)


class AuditedTask(Task):  # type: ignore[type-arg] # not generic when it runs
    """A task that is the actor of its changes in the audit, with metrics and log context."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task."""
        run = f":{self.request.id}" if self.request.id else ""
        context = {"task": self.name, "task_id": self.request.id}
        if request_id := self.request.get("request_id"):
            context["request_id"] = request_id
        with (
            structlog.contextvars.bound_contextvars(**context),
            audit_context(Actor.system(self.name), f"task:{self.name}{run}"),
        ):
            outcome, started_at = "failed", time.monotonic()
            try:
                result = super().__call__(*args, **kwargs)
                outcome = "succeeded"
                return result
            finally:
                seconds = time.monotonic() - started_at
                metrics.TASKS.labels(self.name, outcome).inc()
                metrics.TASK_SECONDS.labels(self.name).observe(seconds)
                logger.info("task", outcome=outcome, milliseconds=round(seconds * 1000))


load_settings()
TRANSPORT_ALIASES.update(settings.BROKER_TRANSPORTS)
app = Celery("exchange", task_cls=AuditedTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.imports = TASKS
app.conf.beat_scheduler = "config.beat.SharedScheduler"
app.conf.beat_schedule = {
    task: {
        "task": task,
        "schedule": every,
        # A sweep that waited longer than its period is superseded by the next one.
        "options": {"expires": every.total_seconds()},
    }
    for task, every in SCHEDULE.items()
}


def publish(task: str) -> None:
    """Send a message that makes a worker run `task`; raise the broker's errors.

    The worker's log lines have the id of the request that caused it.
    """
    context = structlog.contextvars.get_contextvars()
    headers = {"request_id": context["request_id"]} if "request_id" in context else None
    app.send_task(task, expires=_NOTIFICATION_EXPIRES_SECONDS, headers=headers)


@setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Keep the logging of the settings: Celery's own handlers would drop context and redaction."""


@worker_init.connect
def serve_worker_metrics(**_: Any) -> None:
    """Serve the worker's metrics."""
    exposition.serve_in_thread(addresses.WORKER)


@beat_init.connect
def serve_beat_metrics(**_: Any) -> None:
    """Serve the metrics of a beat that runs on its own."""
    exposition.serve_in_thread(addresses.BEAT)


task_notifier.set_publisher(publish)
