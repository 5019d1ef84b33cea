-- Export records are kept: the service may update the progress of an export, and neither change nor
-- delete anything else of it.
REVOKE DELETE, UPDATE ON exchange_export FROM exchange_runtime;
GRANT UPDATE (status, rows_done, size_bytes, error, attempts, claimed_by, leased_until, as_of,
    finished_at) ON exchange_export TO exchange_runtime;
SELECT audit_table('exchange_export', about => 'requested_by_id',
    left_out => '{rows_done,size_bytes,attempts,claimed_by,leased_until,as_of,finished_at}');
