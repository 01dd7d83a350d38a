// Turns the links to the groups of a form into tabs: one group is shown at a time.
// Without this module all groups are shown one below the other, and the links lead to them.

const bar = document.querySelector("[data-tabs]");

if (bar) {
  const tabs = [...bar.querySelectorAll("a")];
  const panelOf = (tab) => document.getElementById(tab.getAttribute("href").slice(1));
  const form = bar.closest("form");
  // The fragment names a group but is not an id on the page, so the browser does not scroll to it.
  const markOf = (tab) => tab.getAttribute("href").replace("#group-", "#at-");

  const show = (chosen, { focus = false } = {}) => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panelOf(tab).hidden = !isChosen;
    }
    if (focus) chosen.focus();
    // After a save, the page shows the same group, scrolled to the top, where the result of the save stands.
    const address = form.getAttribute("action") || location.pathname + location.search;
    form.action = address.split("#")[0] + markOf(chosen);
  };

  bar.setAttribute("role", "tablist");
  bar.setAttribute("aria-orientation", "vertical");
  for (const tab of tabs) {
    const panel = panelOf(tab);
    tab.id = `tab-${panel.id}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      history.replaceState(null, "", markOf(tab));
      show(tab);
    });
    tab.addEventListener("keydown", (event) => {
      const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
      const at = tabs.indexOf(tab);
      const next =
        event.key === "Home" ? tabs[0]
        : event.key === "End" ? tabs.at(-1)
        : event.key in steps ? tabs.at((at + steps[event.key]) % tabs.length)
        : null;
      if (next) {
        event.preventDefault();
        show(next, { focus: true });
      }
    });
  }
  const named = () => tabs.find((tab) => [tab.getAttribute("href"), markOf(tab)].includes(location.hash));
  window.addEventListener("hashchange", () => show(named() ?? tabs[0]));
  bar.addEventListener("show-group", ({ detail }) => show(tabs.find((tab) => panelOf(tab) === detail)));
  // The names of the REST API are for some people only, on all forms.
  const box = document.querySelector("[data-shows-paths]");
  const reflect = () => form.classList.toggle("shows-paths", box.checked);
  box.checked = localStorage.getItem("shows-paths") === "yes";
  box.parentElement.hidden = false;
  box.addEventListener("change", () => {
    localStorage.setItem("shows-paths", box.checked ? "yes" : "no");
    reflect();
  });
  reflect();
  show(tabs.find((tab) => Number(panelOf(tab).dataset.errors) > 0) ?? named() ?? tabs[0]);
}
