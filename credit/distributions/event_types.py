"""Event types of distributions, and when each is emitted."""

EVENT_TYPES = {
    "distribution.announced": "A distribution of a token that you issued or hold was announced",
    "distribution.updated": "An announced distribution of your token has new terms",
    "distribution.recorded": "The holders of your token at the record of a distribution are known",
    "distribution.overdue": "Your wallet did not cover a distribution on its payment date",
    "distribution.paid": "A distribution of a token that you issued or hold was paid",
    "token.redeemed": "All units of a token that you issued or held were paid for and taken back",
    "distribution.cancelled": "A distribution of your token was cancelled or rejected",
}
