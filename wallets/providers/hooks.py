"""`/hooks/flutterwave`: the payment provider's webhooks, outside of /v1.

A webhook only expedites a status check; 200 means that it is stored.
"""

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from exchange.api.middleware import body_length
from exchange.core import task_notifier
from exchange.core.errors import Forbidden
from wallets.providers.services import Receivers, receive_webhook


@csrf_exempt
@require_POST
def receive_flutterwave(request: HttpRequest, receivers: Receivers) -> JsonResponse:
    """Return 200 for an authentic webhook, 401 for any other, 413 above the body limit."""
    if body_length(request) > settings.API_BODY_LIMIT_BYTES:
        return _failed("The body is too large", 413)
    body = request.body
    try:
        task = receive_webhook(receivers, headers=request.headers, body=body)
    except Forbidden as error:
        return _failed(error.message, 401)
    if task is not None:
        task_notifier.notify_after_commit(task)
    return JsonResponse({"status": "success"})


def _failed(message: str, status: int) -> JsonResponse:
    return JsonResponse({"status": "failed", "message": message}, status=status)
