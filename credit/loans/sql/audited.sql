-- Audit of credit. Not audited: repayments, which are append-only and name the payer, and valuations,
-- which are recalculated daily.

SELECT audit_table('credit_loanconfiguration', about => 'creditor_id',
    left_out => '{updated_at}');
SELECT audit_table('credit_configurationversion', about => 'configuration_id');
SELECT audit_table('credit_configurationversion_organisations',
    about => 'configurationversion_id');
SELECT audit_table('credit_loanlimit', about => 'version_id');

-- Not audited: rows written by `make_loan`, which are complete and name the requester.
SELECT audit_table('credit_loan', about => 'organisation_id',
    left_out => '{updated_at,collateral_text,document}',
    inserts => $$NOT recorded_by_function()$$);
SELECT audit_table('credit_collateral', about => 'loan_id',
    inserts => $$NOT recorded_by_function()$$);
SELECT audit_table('credit_shortfall', about => 'loan_id');
SELECT audit_table('credit_endingproposal', about => 'loan_id');
