"""The form of a saved view: its name, who sees it, and whether the list opens with it."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.db import IntegrityError, transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from dimensions_site.repositories.models import Repository
from dimensions_site.saved_views.models import MAX_QUERY, MAX_VIEW_NAME, MAX_VIEWS, SavedView


class ViewForm(forms.Form):
    """Makes a view of the user for the list of a dimension, or changes the `view`.

    `listed` is the key of the repository that the list shows; None if the view keeps its list.
    """

    name = forms.CharField(label=_("Name"), max_length=MAX_VIEW_NAME, widget=UnfoldAdminTextInputWidget)
    repository = forms.ChoiceField(label=_("Repository"), required=False, widget=UnfoldAdminSelectWidget)
    is_shared = forms.BooleanField(
        label=_("Shared"),
        required=False,
        widget=UnfoldBooleanWidget,
        help_text=_("Everybody with access to the repository can open the view. Only you can change it."),
    )
    is_default = forms.BooleanField(
        label=_("Opens by default"),
        required=False,
        widget=UnfoldBooleanWidget,
        help_text=_("The list opens with this view for you."),
    )

    def __init__(
        self,
        user: Any,
        dimension: str,
        repositories: Sequence[Repository],
        *,
        view: Any = None,
        listed: str | None = None,
        data: Any = None,
    ) -> None:
        # The only repository of a user is that of their views, so that they can share them.
        only = f"{repositories[0].pk}" if len(repositories) == 1 else ""
        initial: dict[str, Any] = {"repository": listed or only}
        if view is not None:
            initial = {"name": view.name, "is_shared": view.is_shared, "is_default": view.is_default}
            initial["repository"] = str(view.repository_id or "") if listed is None else listed
        super().__init__(data, initial=initial)
        self._user = user
        self._dimension = dimension
        self._view = view
        self._repositories = {str(one.pk): one for one in repositories}
        choices = [("", _("All of my repositories")), *((key, str(one)) for key, one in self._repositories.items())]
        cast(forms.ChoiceField, self.fields["repository"]).choices = choices

    def clean(self) -> dict[str, Any]:
        chosen: dict[str, Any] = self.cleaned_data
        chosen["repository"] = self._repositories.get(chosen.get("repository", ""))
        if chosen["is_shared"] and chosen["repository"] is None and "repository" not in self.errors:
            self.add_error("repository", gettext("Choose the repository with whose users you share the view."))
        return chosen

    def save(self, query: str) -> SavedView | None:
        """Save the view with the `query` of a list; return None and add an error if that is impossible."""
        chosen = self.cleaned_data
        own = SavedView.objects.filter(owner=self._user)
        if len(query) > MAX_QUERY:
            self.add_error(None, gettext("The filter of the list is too long for a view."))
        elif self._view is None and own.count() >= MAX_VIEWS:
            message = gettext("You have %(maximum)d views, and can have no more. Delete one first.")
            self.add_error(None, message % {"maximum": MAX_VIEWS})
        if self.errors:
            return None
        view: SavedView = self._view or SavedView(owner=self._user, dimension=self._dimension)
        view.name, view.repository, view.is_shared = chosen["name"], chosen["repository"], chosen["is_shared"]
        view.query = query
        try:
            with transaction.atomic():
                view.save()
        except IntegrityError:
            self.add_error("name", gettext("You have a view of this name already. Choose another name."))
            return None
        return view
