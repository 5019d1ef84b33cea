"""Metrics of a process, recorded where the work is done; `config.metrics` serves them.

Labels have few values: route templates and names of tasks and operations, never ids or paths.
"""

from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

REQUESTS = Counter(
    "exchange_requests", "Requests, by route template and status", ["method", "route", "status"]
)
REQUEST_SECONDS = Histogram(
    "exchange_request_seconds",
    "Time that a thread takes for a request",
    ["method", "route"],
    buckets=_BUCKETS,
)
REQUESTS_IN_PROGRESS = Gauge(
    "exchange_requests_in_progress",
    "Requests that a thread processes",
    multiprocess_mode="livesum",
)
REQUEST_THREADS = Gauge(
    "exchange_request_threads", "Threads that process requests", multiprocess_mode="livesum"
)

BATCH_SIZE = Histogram(
    "exchange_batch_size",
    "Commands executed in one call of a SQL function",
    ["function"],
    buckets=(1, 2, 4, 8, 16),
)

REQUEST_LOG_DROPPED = Counter(
    "exchange_request_log_dropped", "Requests that the request log had no room for"
)

TASKS = Counter("exchange_tasks", "Tasks run, by name and outcome", ["task", "outcome"])
TASK_SECONDS = Histogram(
    "exchange_task_seconds", "Duration of tasks", ["task"], buckets=(*_BUCKETS, 120, 600)
)

PROVIDER_CALLS = Counter(
    "exchange_provider_calls",
    "HTTP requests to the payment provider, by operation and outcome: accepted, rejected, failed",
    ["operation", "outcome"],
)
PROVIDER_CALL_SECONDS = Histogram(
    "exchange_provider_call_seconds",
    "Duration of HTTP requests to the payment provider",
    ["operation"],
    buckets=_BUCKETS,
)

WEBHOOK_POSTS = Counter(
    "exchange_webhook_posts",
    "Posts of events to organisations, by outcome: delivered, rejected, no response",
    ["outcome"],
)
WEBHOOK_POST_SECONDS = Histogram(
    "exchange_webhook_post_seconds",
    "Duration of posts of events to organisations",
    buckets=_BUCKETS,
)

STREAM_READERS = Gauge("exchange_stream_readers", "Connections that follow a stream")
STREAM_MESSAGES = Counter(
    "exchange_stream_messages", "Messages of streams, counted once for each reader"
)
STREAM_READING_SECONDS = Histogram(
    "exchange_stream_reading_seconds",
    "Time that one reading of all followed tokens takes",
    buckets=_BUCKETS,
)
STREAM_READING_FAILURES = Counter(
    "exchange_stream_reading_failures", "Readings that failed: readers get nothing new meanwhile"
)
STREAM_RESTARTS = Counter(
    "exchange_stream_restarts", "Readers that did not keep up, and got a new snapshot"
)

POOL_CONNECTIONS = Gauge(
    "exchange_pool_connections",
    "Database connections of the processes, by state: idle, busy",
    ["database", "state"],
    multiprocess_mode="livesum",
)
POOL_LIMIT = Gauge(
    "exchange_pool_limit",
    "Database connections that the processes may open",
    ["database"],
    multiprocess_mode="livesum",
)
POOL_WAITING = Gauge(
    "exchange_pool_waiting",
    "Threads that wait for a database connection",
    ["database"],
    multiprocess_mode="livesum",
)
POOL_ERRORS = Counter(
    "exchange_pool_errors", "Waits for a database connection that timed out", ["database"]
)
