"""The next version: this checkout, expanded by what a release may add while others serve.

So every run migrates tables and installs SQL under load, whatever changed since the base.
"""

import shutil
import subprocess
from pathlib import Path

_MIGRATION = '''\
"""A column and an index for the next release."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("{app}", "{leaf}")]

    operations = [
        migrations.AddField(
            "{model}", "next_release", models.CharField(max_length=9, null=True, editable=False)
        ),
        AddIndexConcurrently(
            "{model}", models.Index(fields=["next_release"], name="{model}_next_release")
        ),
    ]
'''
_FAULTY_MIGRATION = '''\
"""A mistake that the upgrade must report."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("{app}", "{leaf}")]

    operations = [migrations.RunSQL("""{sql}""")]
'''
# Tables that the clients write.
_EXPANDED = {"wallets": "withdrawal", "orders": "order"}
_CHANGED_SQL = "wallets/withdrawals/sql/request_withdrawals.sql"


def copy_checkout(source: Path, target: Path, faulty_sql: str = "") -> None:
    """Copy the checkout `source`, with changes that are not committed, and expand it.

    `faulty_sql` becomes one more migration, of the app `orders`.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.split("\0"):
        if name and (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)
    for app, model in _EXPANDED.items():
        _add_migration(target, app, "next_release", _MIGRATION, model=model)
    if faulty_sql:
        _add_migration(target, "orders", "mistake", _FAULTY_MIGRATION, sql=faulty_sql)
    with (target / _CHANGED_SQL).open("a") as file:
        file.write("\n-- The next release.\n")


def _add_migration(target: Path, app: str, name: str, template: str, **values: str) -> None:
    folder = target / app / "migrations"
    leaf = max(path.stem for path in folder.glob("[0-9]*.py"))
    number = int(leaf.partition("_")[0]) + 1
    text = template.format(app=app, leaf=leaf, **values)
    (folder / f"{number:04d}_{name}.py").write_text(text)
