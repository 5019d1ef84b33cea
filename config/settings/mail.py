"""The server that takes e-mail to staff; without one they receive none."""

from config.settings.environment import env, refusal

HOST = env.text("EMAIL_HOST", pattern="[A-Za-z0-9.-]+", example="mail.example")
PORT = env.integer("EMAIL_PORT", default=587, low=1, high=65535)
USER = env.text("EMAIL_HOST_USER", pattern="[A-Za-z0-9._%+@-]+", example="exchange")
PASSWORD = env.secret("EMAIL_HOST_PASSWORD")
USE_TLS = env.boolean("EMAIL_USE_TLS", default=True)
SENDER = env.text(
    "EMAIL_FROM",
    pattern=r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*",
    example="exchange@exchange.example",
)
BACK_OFFICE_URL = env.url("BACK_OFFICE_URL", schemes=("https", "http")).rstrip("/")
BACKEND = f"django.core.mail.backends.{'smtp' if HOST else 'dummy'}.EmailBackend"
SECONDS = 10

for _name, _given in (("EMAIL_FROM", SENDER), ("BACK_OFFICE_URL", BACK_OFFICE_URL)):
    if HOST and not _given:
        raise refusal(_name, "is not set, but EMAIL_HOST is", "Give it, or remove EMAIL_HOST")
