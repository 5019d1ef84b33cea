"""The subjects that the payment provider's webhooks are about."""

from wallets.deposits.services.payments import expedite_payment
from wallets.payouts.services.sweeps import expedite_transfer
from wallets.providers.services import Receivers

RECEIVERS = Receivers(payment=expedite_payment, transfer=expedite_transfer)
