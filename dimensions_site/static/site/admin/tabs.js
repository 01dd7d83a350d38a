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
      tab.ariaSelected = String(isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
      panelOf(tab).hidden = !isChosen;
    }
    if (focus) chosen.focus();
    // After a save, the page shows the same group, scrolled to the top, where the result of the save stands.
    const address = form.getAttribute("action") || location.pathname + location.search;
    form.action = address.split("#")[0] + markOf(chosen);
  };

  Object.assign(bar, { role: "tablist", ariaOrientation: "vertical" });
  for (const tab of tabs) {
    const panel = panelOf(tab);
    tab.id = `tab-${panel.id}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.role = "tabpanel";
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      history.replaceState(null, "", markOf(tab));
      show(tab);
    });
    tab.addEventListener("keydown", (event) => {
      const [previous, next] = [tabs.indexOf(tab) - 1, tabs.indexOf(tab) + 1];
      const places = { Home: 0, End: -1, ArrowDown: next, ArrowRight: next, ArrowUp: previous, ArrowLeft: previous };
      if (!(event.key in places)) return;
      event.preventDefault();
      show(tabs.at(places[event.key] % tabs.length), { focus: true });
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
