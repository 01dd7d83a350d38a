"""What templates show instants with: `{{ plan.created_at|instant }}`."""

from django.template import Library

from dimensions_site.administration.base.instants import shown_instant

register = Library()
register.filter("instant", shown_instant)
