"""Let the model encrypt and decrypt the secret of a second factor; the column stays as it is."""

from django.db import migrations

from exchange.core.fields import EncryptedTextField


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0009_scheduled_runs'),
    ]

    operations = [
        migrations.AlterField(
            model_name='secondfactor',
            name='secret_encrypted',
            field=EncryptedTextField(db_column='secret_encrypted'),
        ),
        migrations.RenameField(
            model_name='secondfactor',
            old_name='secret_encrypted',
            new_name='secret',
        ),
    ]
