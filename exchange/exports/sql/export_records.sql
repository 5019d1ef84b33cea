-- Who took what out of the back office is kept: the service may tell how an export goes on, and
-- change or remove nothing else of it.
REVOKE DELETE, UPDATE ON exchange_export FROM exchange_runtime;
GRANT UPDATE (status, rows_done, size_bytes, error, attempts, claimed_by, leased_until, as_of,
    finished_at) ON exchange_export TO exchange_runtime;
SELECT audit_table('exchange_export', about => 'requested_by_id',
    left_out => '{rows_done,size_bytes,attempts,claimed_by,leased_until,as_of,finished_at}');
