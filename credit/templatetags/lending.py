"""`{% loan_work as waits %}`: what waits for credit officers, for the front page of the admin."""

from __future__ import annotations

from django import template

from credit.admin.loan_lists import Work, work

register = template.Library()


@register.simple_tag
def loan_work() -> list[Work]:
    """What waits, each with its count and the address of its list."""
    return work()
