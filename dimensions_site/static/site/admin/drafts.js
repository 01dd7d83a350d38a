// Keeps what was typed in a form in this browser until it is saved, and offers it when the form is opened again.
// A draft is removed once the server confirms the save: the cookie names the drafts that were saved last.

const DAYS = 7; // how long a draft is kept
const TYPING_PAUSE = 500; // milliseconds without a keystroke before a draft is stored
const PREFIX = "draft:";

const form = document.querySelector("form[data-watched]");
const note = document.querySelector("[data-draft]");

const read = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
};

const removeSavedAndOld = () => {
  const saved = /(?:^|; )saved_draft=([^;]+)/.exec(document.cookie)?.[1] ?? "";
  for (const key of Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))) {
    const draft = read(key);
    const age = (Date.now() - (draft?.time ?? 0)) / 86_400_000;
    if (!draft || saved.includes(draft.id) || age > DAYS) localStorage.removeItem(key);
  }
};

const typed = () => [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken" && name !== "_draft");
const text = (fields) => JSON.stringify(fields.filter(([name]) => name !== "_etag" && name !== "reason"));

const show = ({ fields }) => {
  const sent = Object.assign(document.createElement("form"), { method: "post", hidden: true });
  const token = form.elements.namedItem("csrfmiddlewaretoken").value;
  for (const [name, value] of [...fields, ["csrfmiddlewaretoken", token], ["_show_draft", "yes"]]) {
    sent.append(Object.assign(document.createElement("textarea"), { name, value }));
  }
  document.body.append(sent);
  sent.submit();
};

const keepDrafts = () => {
  const repository = new URLSearchParams(location.search).get("repository") ?? "";
  const key = `${PREFIX}${form.elements.namedItem("_user").value}:${location.pathname}?${repository}`;
  const atFirst = text(typed());
  const isRefused = "unsaved" in form.dataset;
  const earlier = read(key);
  const id = (isRefused && earlier?.id) || crypto.randomUUID();
  // Only then, so that nobody is asked about it when they leave an unchanged form.
  form.addEventListener("submit", () => {
    form.elements.namedItem("_draft").value = id;
  });
  if (earlier && !isRefused && text(earlier.fields) !== atFirst) {
    const { lang } = document.documentElement;
    // Sweden writes as our English pages do: 2026-01-31 10:00.
    const when = new Intl.DateTimeFormat(lang === "en" ? "sv" : lang, { dateStyle: "short", timeStyle: "short" });
    note.querySelector("time").textContent = when.format(new Date(earlier.time));
    note.querySelector("[data-show]").addEventListener("click", () => show(earlier));
    note.querySelector("[data-discard]").addEventListener("click", () => {
      localStorage.removeItem(key);
      note.hidden = true;
    });
    note.hidden = false;
  }
  const store = () => {
    const fields = typed();
    if (!isRefused && text(fields) === atFirst) return;
    try {
      localStorage.setItem(key, JSON.stringify({ id, time: Date.now(), title: document.title.split("|")[0].trim(), fields }));
    } catch {
      // The browser has no room left: what was typed is in the form, as without drafts.
    }
  };
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(store, TYPING_PAUSE);
  });
  addEventListener("pagehide", () => timer && store());
};

removeSavedAndOld();
// After what other scripts add to the form.
if (form && note) addEventListener("load", keepDrafts);
