"""Models of loan configurations, loans, collateral, loan servicing, distributions and tax rates."""

import credit.configurations.models
import credit.distributions.models
import credit.loans.models
import credit.tax_rates.models
