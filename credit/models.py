"""Models of loan configurations, loans, collateral, loan servicing and distributions."""

import credit.configurations.models
import credit.distributions.models
import credit.loans.models
