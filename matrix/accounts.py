"""Accounts: made, given a role, closed and opened again; one audit entry each."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.auth.tokens import default_token_generator
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from matrix.domain.errors import InvalidValue, RunproofError
from matrix.domain.phrases import Phrase
from matrix.models import ApiToken
from matrix.queries.access import ADMIN, RIGHTS_OF_ROLE, roles_of
from matrix.services import write_audit

LONGEST_NAME = 150


class LastAdminError(RunproofError):
    """A change that would leave nobody who manages accounts."""

    def __init__(self, name: str) -> None:
        super().__init__(
            message=Phrase(
                "{name} is the last open account that manages accounts; accepted: give another"
                " account the role admin first.",
                name=name,
            ),
            code="conflict",
            facts={"value": name},
        )


@transaction.atomic
def create_account(name: str, *, role: str, actor: str) -> Any:
    """A new account without a usable password; its owner sets one by a link.

    **Raises**: ``InvalidValue`` for a name that is taken or malformed, or an unknown role.
    """
    name = name.strip()
    users = get_user_model()._default_manager
    try:
        UnicodeUsernameValidator()(name)
    except ValidationError:
        name_ok = False
    else:
        name_ok = 1 <= len(name) <= LONGEST_NAME
    if not name_ok:
        raise InvalidValue(
            name="name",
            value=name[:LONGEST_NAME],
            accepted=Phrase("1 to {most} letters, digits and @ . + - _", most=LONGEST_NAME),
        )
    if users.filter(username__iexact=name).exists():
        raise InvalidValue(
            name="name", value=name, accepted=Phrase("a name that no other account has")
        )
    user = users.create_user(username=name)
    _set_role(user, role)
    write_audit(
        actor=actor, action="create-account", subject=f"account:{name}", after={"role": role}
    )
    return user


@transaction.atomic
def change_role(user: Any, role: str, *, actor: str) -> bool:
    """Gives an account one role in place of those it has; whether that changed anything.

    **Raises**: ``InvalidValue``, ``LastAdminError``.
    """
    _hold_roles()
    before = roles_of(user)
    if before == [role]:
        return False
    _set_role(user, role)
    _check_an_admin_is_left(user)
    write_audit(
        actor=actor,
        action="change-role",
        subject=f"account:{user.get_username()}",
        before={"roles": before},
        after={"roles": [role]},
    )
    return True


@transaction.atomic
def set_active(user: Any, active: bool, *, actor: str) -> bool:
    """Closes an account or opens it again; whether that changed anything.

    The tokens of a closed account stop working at once and stay revoked when it opens again.
    **Raises**: ``LastAdminError``.
    """
    _hold_roles()
    user.refresh_from_db(fields=["is_active"])
    if user.is_active == active:
        return False
    user.is_active = active
    user.save(update_fields=["is_active"])
    if not active:
        _check_an_admin_is_left(user)
        ApiToken.objects.filter(user=user, revoked_at__isnull=True).update(
            revoked_at=timezone.now()
        )
    write_audit(
        actor=actor,
        action="open-account" if active else "close-account",
        subject=f"account:{user.get_username()}",
        before={"active": not active},
        after={"active": active},
    )
    return True


def password_link_parts(user: Any, *, actor: str) -> tuple[str, str]:
    """The two parts of a link by which the owner sets a password; it works once, for some days.

    The link is shown once to whoever made it and kept nowhere.
    """
    write_audit(actor=actor, action="issue-password-link", subject=f"account:{user.get_username()}")
    return urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)


def _set_role(user: Any, role: str) -> None:
    if role not in RIGHTS_OF_ROLE:
        raise InvalidValue(
            name="role",
            value=role[:60],
            accepted=Phrase("one of {names}", names=", ".join(RIGHTS_OF_ROLE)),
        )
    user.groups.set([Group.objects.get_or_create(name=role)[0]])


def _hold_roles() -> None:
    """Lets one change of who manages accounts after the other: each looks whether one is left."""
    Group.objects.get_or_create(name=ADMIN)
    list(Group.objects.select_for_update().filter(name=ADMIN))


def _check_an_admin_is_left(changed: Any) -> None:
    users = get_user_model()._default_manager.filter(is_active=True)
    if not (users.filter(is_superuser=True).exists() or users.filter(groups__name=ADMIN).exists()):
        raise LastAdminError(changed.get_username())
