"""Event types of loan configurations, and when each is emitted."""

EVENT_TYPES = {
    "loan_configuration.approved": "A loan configuration, or a change of one, was approved",
    "loan_configuration.rejected": "A loan configuration, or a change of one, was rejected",
}
