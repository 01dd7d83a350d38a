// The forms above a list: they are loaded into the page, which searches the fields, copies the filter and closes them.

import { equip } from "./picker.js";

const panel = document.getElementById("list-panel");

/** Search the fields of a form while the user types; Enter chooses the first. */
const searchFields = (choice) => {
  const input = choice.querySelector("input[type=search]");
  const fields = [...choice.querySelectorAll("li")].map((row) => [row, row.dataset.words.toLocaleLowerCase()]);
  input.addEventListener("input", () => {
    const words = input.value.toLocaleLowerCase().split(/\s+/);
    for (const [row, text] of fields) row.hidden = !words.every((word) => text.includes(word));
    for (const group of choice.querySelectorAll("section")) group.hidden = !group.querySelector("li:not([hidden])");
    choice.querySelector("[data-none]").hidden = fields.some(([row]) => !row.hidden);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    choice.querySelector("li:not([hidden]) :is(a, button)")?.click();
  });
};

const prepare = (part) => {
  for (const hidden of part.querySelectorAll("[data-needs-script]")) hidden.hidden = false;
  part.querySelectorAll("[data-field-choice]").forEach(searchFields);
  part.querySelectorAll("[data-picker]").forEach(equip);
};

let opener = null;
const close = () => {
  panel.replaceChildren();
  opener?.focus();
};

prepare(document);
document.body.addEventListener("htmx:beforeRequest", ({ detail }) => {
  if (!panel.contains(detail.elt)) opener = detail.elt;
});
panel?.addEventListener("htmx:afterSettle", () => {
  prepare(panel);
  panel.querySelector("[autofocus]")?.focus();
});
panel?.addEventListener("click", (event) => {
  if (!event.target.closest("[data-closes]") || !document.getElementById("changelist")) return;
  event.preventDefault();
  close();
});
panel?.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && document.getElementById("changelist")) close();
});

for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).value);
    button.textContent = button.dataset.done;
  });
}

// More columns may not fit: then the table scrolls in its own box, and its header does not stay in sight.
for (const list of document.querySelectorAll(".element-list")) {
  new ResizeObserver(() => list.classList.toggle("is-wide", list.scrollWidth > list.clientWidth)).observe(list);
}

// The bar of a selection counts among all that were found, not among those of the page.
const counter = document.querySelector(".action-counter");
const found = document.querySelector(".element-list")?.dataset.count;
if (counter && found) counter.dataset.actionsIcnt = found;
