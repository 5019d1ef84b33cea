"""Models of participants, tokens, staff, audit, events, requests and exports."""

import exchange.comments.models
import exchange.core.models
import exchange.events.models
import exchange.exports.models
import exchange.participants.models
import exchange.questions.models
import exchange.requests.models
import exchange.staff.models
import exchange.tokens.models
