"""``manage.py update_translations``: brings the translation file up to the code and templates."""

from django.core.management.base import BaseCommand

from matrix.site.translations import PO_FILE, update_translations


class Command(BaseCommand):
    help = "Collect every message into locale/; new ones are left to be translated."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        new, gone = update_translations()
        self.stdout.write(f"{PO_FILE.name}: {new} new messages, {gone} gone.")
