"""The Prometheus metrics; their names and labels are an interface for operators (design/observability.md).

No label contains anything that a client chooses or that belongs to a tenant: no ids or names, and of a URL only the
route pattern. So the number of time series is bounded, and metrics reveal no tenant's data.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()

# In seconds: from reading one element to a bulk save of several minutes.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

REQUESTS = Counter(
    "dimensions_http_requests_total", "Requests that were answered.", ["method", "route", "status"], registry=REGISTRY
)
DURATION = Histogram(
    "dimensions_http_request_duration_seconds",
    "Time from the arrival of a request to its answer, of a streamed list to the end of it.",
    ["method", "route"],
    buckets=_BUCKETS,
    registry=REGISTRY,
)
IN_PROGRESS = Gauge(
    "dimensions_http_requests_in_progress",
    "Requests that are being answered.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
ROWS_READ = Counter(
    "dimensions_http_rows_read_total", "Elements that requests read from the database.", ["route"], registry=REGISTRY
)
ROWS_WRITTEN = Counter(
    "dimensions_http_rows_written_total",
    "Elements that requests created, changed or deleted.",
    ["route"],
    registry=REGISTRY,
)
ELEMENT_READS = Counter(
    "dimensions_element_reads_total",
    "Requests that read elements where there is a replica, by the database that was read.",
    ["database"],
    registry=REGISTRY,
)
REFUSALS = Counter(
    "dimensions_http_refusals_total",
    "Requests that were refused, by the code of the refusal.",
    ["code"],
    registry=REGISTRY,
)
ACCOUNTS_LOCKED = Counter(
    "dimensions_accounts_locked_total",
    "User names that were locked because of too many wrong passwords within a day.",
    registry=REGISTRY,
)
WORKER_ROWS_READ = Counter(
    "dimensions_worker_rows_read_total", "Elements that jobs read from the database.", ["kind"], registry=REGISTRY
)
WORKER_ROWS_WRITTEN = Counter(
    "dimensions_worker_rows_written_total",
    "Elements that jobs created, changed or deleted.",
    ["kind"],
    registry=REGISTRY,
)
MAILS = Counter(
    "dimensions_mails_total",
    "Mails that the mail server took, sent, or did not, failed.",
    ["outcome"],
    registry=REGISTRY,
)
