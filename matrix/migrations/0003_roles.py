"""The four roles as groups; what each may do stands in matrix.queries.access."""

from django.db import migrations

ROLES = ("reader", "contributor", "curator", "admin")


def create_roles(apps, schema_editor):
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    for name in ROLES:
        groups.get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [
        ("matrix", "0002_append_only"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    # Accounts may be members of the groups by then, so going back keeps them.
    operations = [migrations.RunPython(create_roles, migrations.RunPython.noop)]
