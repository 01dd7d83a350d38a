// Provides what the expressions on unfold's pages call: Alpine's build without eval does not see the page's globals.
"use strict";

document.addEventListener("alpine:init", () => {
  Alpine.data("theme", theme);
  Alpine.data("searchForm", searchForm);
  Alpine.data("searchCommand", () => ({
    ...searchCommand(),
    // Enter opens the chosen result, or else the first one.
    openItem(event) {
      if (!this.hasResults) return;
      if (!this.currentIndex) this.nextItem();
      this.selectItem(false, event.metaKey || event.ctrlKey);
    },
  }));
  Alpine.data("page", (tab) => ({
    activeTab: tab && (getCurrentTab() || tab),
    sidebarMobileOpen: false,
    sidebarDesktopOpen: Alpine.$persist(true).as("sidebarDesktopOpen"),
    // The part of it that a form needs to return to the same tab.
    get window() {
      const { pathname, search } = location;
      return { location: { pathname, search } };
    },
  }));
});
