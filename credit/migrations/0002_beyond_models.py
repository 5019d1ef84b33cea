"""Keys of loans and of versions beyond their models.

It stands for the migrations of databases that were made before it.
"""

from django.db import migrations

_KEYS = """
ALTER TABLE credit_loan
    ADD CONSTRAINT loan_borrower_of_organisation
    FOREIGN KEY (borrower_id, organisation_id) REFERENCES exchange_member (id, organisation_id);
-- The model gives up both keys of this table to have none to organisations, which stay unexamined.
ALTER TABLE credit_configurationversion_organisations
    ADD CONSTRAINT credit_configuration_configurationversion_cef625ca_fk_credit_co
    FOREIGN KEY (configurationversion_id) REFERENCES credit_configurationversion (id)
        DEFERRABLE INITIALLY DEFERRED;
"""


class Migration(migrations.Migration):
    replaces = [
        ("credit", "0002_functions"),
        ("credit", "0003_configuration_guard"),
        ("credit", "0004_audit"),
        ("credit", "0005_outstanding_and_endings"),
        ("credit", "0006_documents_for_less"),
        ("credit", "0007_loans_by_the_posting_function"),
        ("credit", "0008_what_may_be_posted"),
        ("credit", "0009_least_of_a_loan"),
        ("credit", "0010_two_person_approval"),
    ]
    dependencies = [("credit", "0001_initial")]

    operations = [migrations.RunSQL([(_KEYS, None)], migrations.RunSQL.noop)]
