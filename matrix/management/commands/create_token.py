"""``manage.py create_token``: an API token for a user, printed once."""

from argparse import ArgumentParser

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from matrix.domain.errors import InvalidValue
from matrix.queries.access import TOKEN_SCOPES
from matrix.tokens import issue_token


class Command(BaseCommand):
    help = "Create an API token for a user; it is printed once and kept only as a hash."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="name of an existing account")
        parser.add_argument("--name", required=True, help="what the token is for")
        parser.add_argument(
            "--scopes", default="read", help=f"comma-separated, of {', '.join(TOKEN_SCOPES)}"
        )
        parser.add_argument("--days", type=int, default=90, help="days until it expires")

    def handle(self, *args: object, **options: object) -> None:
        users = get_user_model()._default_manager
        name = str(options["user"])
        user = users.filter(**{get_user_model().USERNAME_FIELD: name}).first()
        if user is None:
            raise CommandError(f"{name!r} is no account; `manage.py createsuperuser` makes one.")
        scopes = [scope.strip() for scope in str(options["scopes"]).split(",") if scope.strip()]
        try:
            token, text = issue_token(
                user,
                name=str(options["name"]),
                scopes=scopes,
                days=int(str(options["days"])),
                actor="create_token",
            )
        except InvalidValue as error:
            raise CommandError(str(error)) from error
        self.stderr.write(
            f"Token {token.name!r} of {name} with {', '.join(token.scopes)}, "
            f"until {token.expires_at:%Y-%m-%d}. It is not shown again."
        )
        self.stdout.write(text)
