// Asks for confirmation before a user leaves a changed form by a link, the address, the tab or another form.

const WATCHED = "form[data-watched], #content-main > form[method='post'][id$='_form']";
const atFirst = new Map();
let sent = null;

const texts = (form) => JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value.name ?? value]));
const watch = () => {
  for (const form of document.querySelectorAll(WATCHED)) if (!atFirst.has(form)) atFirst.set(form, texts(form));
};
const isChanged = (form) =>
  "unsaved" in form.dataset || form.querySelector(".errornote") !== null || texts(form) !== atFirst.get(form);

addEventListener("load", watch);
// A part of the page was loaded again, with its forms.
addEventListener("htmx:afterSwap", watch);
addEventListener("submit", (event) => {
  sent = event.defaultPrevented ? null : event.target;
});
// The page stays open while a file is fetched.
addEventListener("click", ({ target }) => {
  sent = target.closest("a[data-file]");
});
// The page may come back from the browser's memory, as it was left.
addEventListener("pageshow", () => {
  sent = null;
});
addEventListener("beforeunload", (event) => {
  const left = [...atFirst.keys()].filter((form) => form.isConnected && form !== sent);
  if (!sent?.matches("a") && left.some(isChanged)) event.preventDefault();
  sent = null;
});
