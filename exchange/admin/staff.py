"""Staff users in the admin. Roles are groups; `config.roles` says what each may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Model
from django.http import HttpRequest

from exchange.models import StaffUser

if TYPE_CHECKING:
    _UserAdmin = UserAdmin[StaffUser]
else:
    _UserAdmin = UserAdmin


@admin.register(StaffUser)
class StaffUserAdmin(_UserAdmin):
    """Adds and changes staff; nobody removes one, for their decisions stay.

    Permissions come from roles only. Nobody changes their own roles, and only a superuser changes
    a superuser.
    """

    in_back_office = True
    actions = None
    list_display = ("username", "first_name", "last_name", "email", "roles", "is_active")
    list_filter = ("is_active", "groups")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Access", {"fields": ("is_active", "is_staff", "groups")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("username", "password1", "password2", "is_staff", "groups"),
            },
        ),
    )

    @admin.display(description="roles")
    def roles(self, user: StaffUser) -> str:
        return ", ".join(sorted(group.name for group in user.groups.all())) or (
            "superuser" if user.is_superuser else ""
        )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("groups")

    def choice_label(self, obj: Model) -> str:
        """The words by which a person is picked from suggestions."""
        return str(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fixed = tuple(super().get_readonly_fields(request, obj))
        if obj is not None and obj.pk == request.user.pk:
            return (*fixed, "is_active", "is_staff", "groups")
        return fixed
