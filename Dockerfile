# The image runs the web application; worker, beat and migrations use other commands.
# BASE is any Debian image with Python 3.11 as `python`, and venv.
ARG BASE=python:3.11-slim

FROM ${BASE} AS build
WORKDIR /app
RUN python -m venv /opt/venv
COPY requirements.lock .
# The running image installs nothing: it has no installer.
RUN /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock \
    && /opt/venv/bin/pip uninstall --yes --quiet setuptools pip

FROM ${BASE}
ENV PATH=/opt/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LANG=C.UTF-8 \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings.production
WORKDIR /app
COPY --from=build /opt/venv /opt/venv
COPY manage.py ./
COPY config config
COPY exchange exchange
COPY wallets wallets
COPY credit credit
COPY orders orders
COPY templates templates
# Help pages of the back office.
COPY docs/back-office.md docs/withdrawal-review.md docs/glossary.md docs/
# The guide for API clients.
COPY docs/api docs/api
COPY CHANGELOG.md ./
# Placeholder values: collecting static files reads the settings and connects to nothing.
RUN SECRET_KEY=$(python -c 'import secrets; print(secrets.token_urlsafe(50))') \
    FIELD_ENCRYPTION_KEYS=$(python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())') \
    ALLOWED_HOSTS=build DATABASE_URL=postgresql://build@build/build CELERY_BROKER_URL=amqp://build \
    CACHE_URL=redis://build FLUTTERWAVE_SECRET_KEY=build FLUTTERWAVE_WEBHOOK_HASH=build \
    python manage.py collectstatic --no-input
RUN useradd --system --uid 10001 --no-create-home exchange
# By number, so that an orchestrator sees that it is not root. Nothing below / needs to be written but /tmp.
USER 10001
EXPOSE 8000
# Whether the process responds. Proxies use /health/ready.
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health/live', timeout=4)"]
CMD ["python", "-m", "config.webserver", "--host", "0.0.0.0", "--port", "8000"]
