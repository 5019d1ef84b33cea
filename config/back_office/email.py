"""The page on which a person chooses the e-mail they receive."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from config.staff_mail import NO_MAIL, PERMISSIONS
from exchange.admin.base import staff_of
from exchange.admin.forms import bind_form, fieldsets_of
from exchange.staff.models import MailKind
from exchange.staff.services.mail import choose_mail


class EmailForm(forms.Form):
    """The kinds of e-mail."""

    wanted = forms.MultipleChoiceField(
        label="Receive e-mail about",
        choices=MailKind.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Sent at once, to those whose role decides about it",
    )


def email_page(site: admin.AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the user's address and the kinds of e-mail they receive, or change these."""
    user = staff_of(request)
    mine = [kind for kind in MailKind if user.may(PERMISSIONS[kind])]
    wanted = [kind.value for kind in mine if kind not in user.unwanted_mail]
    form = bind_form(request, EmailForm, wanted=wanted)
    field: Any = form.fields["wanted"]
    field.choices = [(kind.value, kind.label) for kind in mine]
    if form.is_valid():
        choose_mail(user=user, wanted=form.cleaned_data["wanted"], among=mine)
        messages.success(request, "E-mail settings saved.")
        return HttpResponseRedirect(reverse("admin:email"))
    context = {
        **site.each_context(request),
        "title": "E-mail",
        "form": form,
        "fieldsets": fieldsets_of(form),
        "kinds": mine,
        "sends_mail": settings.EMAIL_BACKEND != NO_MAIL,
    }
    return TemplateResponse(request, "admin/email.html", context)
