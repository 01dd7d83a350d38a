from django.db import migrations

from dimensions_site.elements.searching import search_index


class Migration(migrations.Migration):
    dependencies = [("currency", "0004_oid_leads_its_index")]

    operations = [search_index("currency_currency")]
