from django.db import migrations

from dimensions_site.elements.searching import search_index


class Migration(migrations.Migration):
    dependencies = [("account", "0003_words_for_people")]

    operations = [search_index("account_account")]
