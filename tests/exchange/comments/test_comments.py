"""Comments: internal, by staff with the permission, written once, about a record that exists."""

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.urls import reverse

from config.back_office.panels import PANELS
from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
)
from exchange.audit.selectors import history
from exchange.comments.admin import CommentsPanel
from exchange.comments.models import Comment
from exchange.comments.services import add_comment
from exchange.core.errors import Forbidden, InvalidRequest
from exchange.core.ids import uuid7
from exchange.core.models import Change
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.owner import as_owner, without_guards
from tests.factories.back_office import (
    fund,
    make_participants,
    make_withdrawal,
    messages_of,
    signed_in_client,
    text_of,
    user_of,
)
from tests.factories.breaks import make_break
from tests.factories.deposits import arrive, transaction_record
from tests.factories.wallets import make_staff, store_bank_list
from wallets.deposits.models import Deposit

pytestmark = pytest.mark.django_db
WORDS = "Called the treasurer.\nShe expects <b>two</b> more."


def address(record, page: str = "comment") -> str:
    return reverse(f"admin:{record._meta.label_lower.replace('.', '_')}_{page}", args=[record.pk])


def subjects():
    """Return a record of every model with the panel, by model."""
    organisation, member = make_participants()
    store_bank_list()
    fund(organisation, None, "KES", "5000")
    found = [
        organisation,
        member,
        make_withdrawal(organisation, None, "KES", "1200"),
        Deposit.objects.get(),
        arrive(transaction_record("unknown")),
        make_break(),
    ]
    return {type(record): record for record in found}


@pytest.mark.slow
def test_staff_comment_on_every_record_that_has_the_panel(finance):
    found = subjects()
    having = {
        model
        for model, panels in PANELS.items()
        if any(isinstance(panel, CommentsPanel) for panel in panels)
    }
    assert set(found) == having
    for record in found.values():
        response = finance.post(address(record), {"comment": WORDS})
        assert messages_of(response)[-1] == "Comment added."
        assert response["Location"] == address(record, "change")
        comment = Comment.objects.get(subject_id=record.pk)
        assert (comment.text, comment.author) == (WORDS, user_of(finance))
        assert comment.subject_type == record._meta.label_lower
        shown = finance.get(address(record, "change"))
        assert f"finance-approver {comment.created_at:%Y-%m-%d %H:%M:%S} UTC" in text_of(shown)
        assert b"&lt;b&gt;two&lt;/b&gt; more." in shown.content
        # The history of the record has it.
        assert [change.table for change in history(record.pk, limit=1)] == ["exchange_comment"]


@pytest.mark.parametrize("role", [BACK_OFFICE, CREDIT_OFFICER, ADMINISTRATOR, AUDITOR])
@pytest.mark.one_in(3)
def test_every_role_reads_comments_and_all_but_auditors_add_them(role):
    organisation, _ = make_participants()
    add_comment(
        subject=organisation,
        text="Key account",
        user=make_staff("add_comment", "view_organisation"),
    )
    client = signed_in_client(role)
    shown = client.get(address(organisation, "change"))
    assert "Key account" in text_of(shown)
    another, _ = make_participants()
    assert "Key account" not in text_of(client.get(address(another, "change")))
    may = role != AUDITOR
    assert (f'action="{address(organisation)}"' in shown.content.decode()) is may
    before = table_fingerprints()
    response = client.post(address(organisation), {"comment": "Another"})
    assert response.status_code == (302 if may else 403)
    assert (table_fingerprints() == before) is not may


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "This field is required."),
        (" \n ", "This field is required."),
        ("x" * 2001, "Ensure this value has at most 2000 characters (it has 2001)."),
    ],
)
def test_an_invalid_comment_is_shown_again_and_not_kept(text, message, office):
    organisation, _ = make_participants()
    with assert_no_table_changes():
        response = office.post(address(organisation), {"comment": text})
        assert message in text_of(response)
        assert text.strip()[:50] in text_of(response)


def test_a_comment_sent_twice_is_kept_once_and_a_line_break_counts_once(finance, office):
    """Browsers send two characters for a line break, and count one."""
    organisation, member = make_participants()
    text = "x\r\n" * 999 + "xx"
    for client in (finance, finance, office):
        assert messages_of(client.post(address(member), {"comment": text}))[-1] == "Comment added."
    finance.post(address(organisation), {"comment": text})
    kept = Comment.objects.order_by("id")
    assert list(kept.values_list("subject_id", "author__username", "text")) == [
        (member.pk, user_of(finance).username, "x\n" * 999 + "xx"),
        (member.pk, user_of(office).username, "x\n" * 999 + "xx"),
        (organisation.pk, user_of(finance).username, "x\n" * 999 + "xx"),
    ]
    with without_guards() as cursor:
        cursor.execute("UPDATE exchange_comment SET created_at = created_at - interval '1 minute'")
    finance.post(address(member), {"comment": text})
    assert Comment.objects.filter(subject_id=member.pk).count() == 3


def test_the_service_refuses_without_permission_view_or_words():
    organisation, member = make_participants()
    for user in (make_staff("view_member"), make_staff("add_comment", "view_organisation")):
        with assert_no_table_changes(), pytest.raises(Forbidden):
            add_comment(subject=member, text="Hello", user=user)
    user = make_staff("add_comment", "view_organisation")
    with assert_no_table_changes():
        for text in (" ", "x" * 2001):
            with pytest.raises(InvalidRequest):
                add_comment(subject=organisation, text=text, user=user)


def test_a_comment_is_written_once_about_a_record_that_exists():
    organisation, _ = make_participants()
    user = make_staff("add_comment", "view_organisation")
    comment = add_comment(subject=organisation, text="Hello", user=user)
    for statement in (
        "UPDATE exchange_comment SET text = 'x'",
        "DELETE FROM exchange_comment",
    ):
        with (
            pytest.raises(ProgrammingError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
        with (
            pytest.raises(IntegrityError, match="append-only"),
            transaction.atomic(),
            as_owner() as cursor,
        ):
            cursor.execute(statement)
    values = {"text": "Hello", "author": user, "created_at": comment.created_at}
    for subject_type, subject_id in (
        ("exchange.organisation", uuid7()),
        ("exchange.member", organisation.pk),
        ("exchange.nothing", organisation.pk),
        ("pg_class; DROP TABLE x", organisation.pk),
    ):
        with pytest.raises(IntegrityError, match="there is no"), transaction.atomic():
            Comment.objects.create(subject_type=subject_type, subject_id=subject_id, **values)
    with pytest.raises(IntegrityError, match="comment_not_empty"), transaction.atomic():
        Comment.objects.create(
            subject_type="exchange.organisation",
            subject_id=organisation.pk,
            **values | {"text": " "},
        )
    assert [each.text for each in Comment.objects.all()] == ["Hello"]
    assert Change.objects.filter(table="exchange_comment").count() == 1


def test_a_page_shows_the_latest_fifty_and_costs_the_same_for_one_as_for_many(
    django_assert_max_num_queries,
):
    organisation, _ = make_participants()
    user = make_staff("add_comment", "view_organisation")
    client = signed_in_client(CREDIT_OFFICER)
    client.get(address(organisation, "change"))
    add_comment(subject=organisation, text="Comment 0.", user=user)
    with django_assert_max_num_queries(24):
        client.get(address(organisation, "change"))
    for number in range(1, 51):
        add_comment(subject=organisation, text=f"Comment {number}.", user=user)
    with django_assert_max_num_queries(24):
        shown = text_of(client.get(address(organisation, "change")))
    assert shown.index("Comment 50.") < shown.index("Comment 1.")
    assert "Comment 0." not in shown
    assert "Only the latest 50 are shown." in shown
