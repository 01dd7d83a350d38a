// Gives Alpine what the expressions on unfold's pages call. Its build that needs no eval knows no names of the page.
"use strict";

document.addEventListener("alpine:init", () => {
  Alpine.data("theme", theme);
  Alpine.data("searchForm", searchForm);
  Alpine.data("searchCommand", searchCommand);
  Alpine.data("page", (tab) => ({
    activeTab: tab && (getCurrentTab() || tab),
    sidebarMobileOpen: false,
    sidebarDesktopOpen: Alpine.$persist(true).as("sidebarDesktopOpen"),
    // What a form needs of it to return to the same tab.
    get window() {
      const { pathname, search } = location;
      return { location: { pathname, search } };
    },
  }));
});
