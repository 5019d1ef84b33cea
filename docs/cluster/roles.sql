-- Run once on the primary as a superuser: the owner that migrates, the login of the service, and the role
-- that the service acts as. The settings of the login replace the start-up options that PgBouncer drops.
CREATE ROLE exchange_runtime NOLOGIN;
CREATE ROLE exchange_owner LOGIN PASSWORD '${OWNER_PASSWORD}';
CREATE ROLE exchange_app LOGIN NOINHERIT PASSWORD '${APP_PASSWORD}' IN ROLE exchange_runtime;
ALTER ROLE exchange_app SET role = 'exchange_runtime';
ALTER ROLE exchange_app SET timezone = 'UTC';
ALTER ROLE exchange_app SET jit = off;
ALTER ROLE exchange_app SET lock_timeout = '10s';
CREATE DATABASE exchange OWNER exchange_owner;
