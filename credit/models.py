"""Models of loan configurations, loans, collateral and loan servicing."""

import credit.configurations.models
import credit.loans.models
