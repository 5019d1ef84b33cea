"""Label proposals that their proposer cancelled by the word of the button."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('wallets', '0007_page_labels'),
    ]

    operations = [
        migrations.AlterField(
            model_name='settingchange',
            name='status',
            field=models.CharField(choices=[('Pending', 'Pending'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Withdrawn', 'Cancelled by proposer'), ('Cancelled', 'Cancelled')], default='Pending', max_length=10),
        ),
    ]
