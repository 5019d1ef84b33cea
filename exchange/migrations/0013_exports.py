"""Exports: who took which list out, and the files of long ones."""

import django.db.models.deletion
import exchange.ids
from django.conf import settings
from django.db import migrations, models

from exchange import sqlfiles


class Migration(migrations.Migration):

    dependencies = [
        ('exchange', '0012_events_not_told'),
    ]

    operations = [
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.UUIDField(default=exchange.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('source', models.CharField(max_length=60)),
                ('title', models.CharField(max_length=80)),
                ('query', models.TextField(blank=True, help_text="The list's own query string")),
                ('filter_words', models.TextField(blank=True)),
                ('first_day', models.DateField(null=True)),
                ('last_day', models.DateField(null=True)),
                ('form', models.CharField(choices=[('csv', 'CSV'), ('xlsx', 'XLSX')], max_length=4)),
                ('file_name', models.CharField(max_length=150)),
                ('status', models.CharField(choices=[('Waiting', 'Waiting'), ('Running', 'Running'), ('Ready', 'Ready'), ('Handed over', 'Handed Over'), ('Failed', 'Failed'), ('Removed', 'Removed')], default='Waiting', max_length=11)),
                ('direct', models.BooleanField(default=False, help_text='Handed over in the answer itself')),
                ('about_rows', models.PositiveIntegerField(help_text='How many there were when it was asked for')),
                ('rows_done', models.PositiveIntegerField(default=0)),
                ('size_bytes', models.PositiveBigIntegerField(default=0)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('claimed_by', models.CharField(blank=True, max_length=80)),
                ('leased_until', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField()),
                ('as_of', models.DateTimeField(help_text='The moment the file shows', null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('read_every_export', "Can see and download everybody's exports")],
            },
        ),
        migrations.CreateModel(
            name='ExportChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('data', models.BinaryField()),
                ('export', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='exchange.export')),
            ],
        ),
        migrations.AddIndex(
            model_name='export',
            index=models.Index(condition=models.Q(('status__in', ['Waiting', 'Running'])), fields=['created_at'], name='export_under_way'),
        ),
        migrations.AddIndex(
            model_name='export',
            index=models.Index(condition=models.Q(('status', 'Ready')), fields=['finished_at'], name='export_with_file'),
        ),
        migrations.AddConstraint(
            model_name='exportchunk',
            constraint=models.UniqueConstraint(fields=('export', 'position'), name='export_chunk_once'),
        ),
        *sqlfiles.install("exchange", "export_records"),
    ]
