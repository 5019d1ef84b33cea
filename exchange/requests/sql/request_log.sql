-- Rights of the request log: rows are added and, when they are old, removed.
REVOKE UPDATE, TRUNCATE ON exchange_loggedrequest FROM exchange_runtime;
