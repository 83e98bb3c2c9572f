"""``manage.py compile_translations``: makes the translations ready for use."""

from django.core.management.base import BaseCommand

from matrix.site.translations import compile_translations


class Command(BaseCommand):
    help = "Compile the translations where they changed; `make run` and the tests do it as well."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        done = compile_translations()
        self.stdout.write("Translations compiled." if done else "Translations are up to date.")
