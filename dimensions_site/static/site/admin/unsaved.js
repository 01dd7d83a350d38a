// Asks for confirmation before a user leaves a changed form by a link, the address or the tab.

addEventListener("load", () => {
  const form = document.querySelector("form[data-watched], #content-main > form[method='post'][id$='_form']");
  if (!form) return;
  const texts = () => JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value.name ?? value]));
  const atFirst = texts();
  const wasRefused = "unsaved" in form.dataset || form.querySelector(".errornote") !== null;
  let isSaved = false;

  form.addEventListener("submit", (event) => {
    isSaved = !event.defaultPrevented;
  });
  // The page may come back from the browser's memory, as it was left.
  addEventListener("pageshow", () => {
    isSaved = false;
  });
  addEventListener("beforeunload", (event) => {
    if (!isSaved && (wasRefused || texts() !== atFirst)) event.preventDefault();
  });
});
