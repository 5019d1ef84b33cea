# The image runs the web application; worker, beat and migrations use other commands.
FROM python:3.11-slim AS build
WORKDIR /app
RUN python -m venv /opt/venv
COPY requirements.lock .
RUN /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock

FROM python:3.11-slim
ENV PATH=/opt/venv/bin:$PATH \
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
# Placeholder values: collecting static files reads the settings and connects to nothing.
RUN SECRET_KEY=$(python -c 'import secrets; print(secrets.token_urlsafe(50))') \
    FIELD_ENCRYPTION_KEYS=$(python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())') \
    ALLOWED_HOSTS=build DATABASE_URL=postgresql://build@build/build CELERY_BROKER_URL=amqp://build \
    CACHE_URL=redis://build FLUTTERWAVE_SECRET_KEY=build FLUTTERWAVE_WEBHOOK_HASH=build \
    python manage.py collectstatic --no-input
RUN useradd --system --uid 10001 exchange
USER exchange
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
CMD ["python", "-m", "config.webserver", "--host", "0.0.0.0", "--port", "8000"]
