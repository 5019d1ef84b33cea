"""Progress of work in the background, shown on the page of its record until it has finished."""

from dataclasses import dataclass

from django.http import HttpResponse, JsonResponse


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a record: `done` of about `total` units, where they are counted.

    `url` returns it for the page's script.
    """

    url: str
    text: str
    done: int | None = None
    total: int | None = None


def progress_response(progress: Progress | None) -> HttpResponse:
    """Return the progress as JSON; None means that the work has finished."""
    if progress is None:
        return JsonResponse({"finished": True})
    shown = {"text": progress.text, "done": progress.done, "total": progress.total}
    return JsonResponse({"finished": False, **shown})
