"""Label proposals that their proposer cancelled by the word of the button."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0007_export_status'),
    ]

    operations = [
        migrations.AlterField(
            model_name='accessproposal',
            name='status',
            field=models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Withdrawn', 'Cancelled by proposer')], default='Pending', max_length=10),
        ),
    ]
