"""What gunicorn loads: `gunicorn tests.load.bench.plain.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.load.bench.plain.settings"

application = get_wsgi_application()
