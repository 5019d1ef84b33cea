#!/bin/bash
# Creates the roles of the service when compose.yaml makes the database.
set -e
psql -v ON_ERROR_STOP=1 -v password="$APP_PASSWORD" -U exchange_owner -d exchange <<'SQL'
CREATE ROLE exchange_runtime NOLOGIN;
CREATE ROLE exchange_app LOGIN NOINHERIT PASSWORD :'password' IN ROLE exchange_runtime;
SQL
