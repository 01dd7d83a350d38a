// Scrolls to the summary of a refused save; its links lead to the fields in all groups.

const summary = document.querySelector("[data-summary], #content-main .errornote");

if (summary) {
  summary.tabIndex = -1;
  summary.setAttribute("role", "alert");
  summary.scrollIntoView({ block: "start" });
  summary.focus();
  summary.closest("form")?.addEventListener("click", (event) => {
    const link = event.target.closest(":is([data-summary], .element-conflict) a[href^='#']");
    const field = link && document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)));
    if (!field) return;
    event.preventDefault();
    const panel = field.closest(".element-panel");
    document.querySelector("[data-tabs]").dispatchEvent(new CustomEvent("show-group", { detail: panel }));
    for (let group = field.closest("details"); group; group = group.parentElement.closest("details")) group.open = true;
    field.focus();
    field.scrollIntoView({ block: "center" });
  });
}
