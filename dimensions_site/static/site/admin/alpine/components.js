// Provides what the expressions on unfold's pages call: Alpine's build without eval does not see the page's globals.
"use strict";

document.addEventListener("alpine:init", () => {
  Alpine.data("theme", theme);
  Alpine.data("searchForm", searchForm);
  const search = searchCommand();
  Alpine.data("searchCommand", () => ({
    ...search,
    // The theme's key does nothing in a box, and leaves the focus nowhere.
    handleShortcut(event) {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      if (!this.openCommandResults) this.handleOpen();
    },
    handleOpen() {
      this.opener = document.activeElement;
      search.handleOpen.call(this);
      // The theme tries once, after 20 ms.
      focusWhenShown(() => (this.openCommandResults ? [this.$refs.searchInputCommand] : []));
    },
    handleEscape() {
      search.handleEscape.call(this);
      if (!this.openCommandResults) this.opener.focus();
    },
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
