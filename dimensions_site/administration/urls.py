"""The pages of the administration besides those of Django's admin, for users who are signed in."""

from django.contrib.admin import site
from django.urls import path

from dimensions_site.administration.people.own_mail import own_mail_page
from dimensions_site.administration.people.own_password import own_password_page
from dimensions_site.administration.site.command_search import search
from dimensions_site.administration.site.help import show_help
from dimensions_site.administration.site.menu import choose_repository
from dimensions_site.administration.site.panels import panel
from dimensions_site.administration.site.start_page import hide_steps

urlpatterns = [
    # It precedes the theme's, which keeps what it found for five minutes, when grants may have ended and the language
    # may be another.
    path("search/", site.admin_view(search)),
    path("help/<slug:name>/", site.admin_view(show_help), name="help"),
    path("start/hide-steps/", site.admin_view(hide_steps), name="hide_steps"),
    path("start/<slug:name>/", site.admin_view(panel), name="start_panel"),
    path("repository/", site.admin_view(choose_repository), name="switch"),
    # In the place of Django's own, which checks any number of passwords.
    path("password_change/", site.admin_view(own_password_page)),
    path("mail/", site.admin_view(own_mail_page), name="own_mail"),
]
