"""Event types of questions, and when each is emitted."""

EVENT_TYPES = {
    "question.asked": "The exchange asks you about a withdrawal or deposit before it decides",
    "question.closed": "The exchange noted your answer to a question",
}
