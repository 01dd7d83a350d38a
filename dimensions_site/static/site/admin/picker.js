// Suggests elements while the user types an id: a combobox with a list, for keyboard and mouse.
// An id that is not suggested is accepted, too.

const TYPING_PAUSE = 200; // milliseconds without a keystroke before suggestions are requested
const NEAREST = 3; // how many similar ids the warning offers

let pickers = 0;
const make = (name, properties) => Object.assign(document.createElement(name), properties);

/** Equip a picker of the page, or of a part that was loaded later; once. */
export const equip = (picker) => {
  if (picker.querySelector("[role=combobox]")) return;
  const input = picker.querySelector("input");
  const picked = picker.querySelector("[data-picked]");
  const [listName, nothing, more] = picker.dataset.words.split("|");
  const list = make("ul", { id: `suggestions-${(pickers += 1)}`, className: "element-suggestions", role: "listbox", ariaLabel: listName, hidden: true });
  const note = make("p", { className: "element-help", ariaLive: "polite" });
  let active = -1;
  const warning = picker.querySelector("[data-unknown]");
  let pending = null;
  let timer = 0;
  const first = { id: input.value, shown: [...(picked?.childNodes ?? [])] };
  // The last text that was compared with the ids of elements.
  let known = warning.textContent ? null : input.value;

  (picked ?? input).after(list, note);
  Object.assign(input, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
  input.setAttribute("aria-controls", list.id);

  const close = () => {
    list.hidden = true;
    active = -1;
    input.ariaExpanded = "false";
    input.removeAttribute("aria-activedescendant");
  };

  const leave = () => {
    clearTimeout(timer);
    pending?.abort();
    note.textContent = "";
    close();
  };

  const point = (position) => {
    const options = [...list.children];
    active = (position + options.length) % options.length;
    options.forEach((option, at) => { option.ariaSelected = String(at === active); });
    options[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[active].id);
  };

  // What is stored beside the id stays with it.
  const describe = (id, { description, address } = {}) => {
    const words = description || id;
    const link = address ? [make("a", { textContent: words, title: words, href: address })] : [];
    picked?.replaceChildren(...(id === first.id ? first.shown : link));
  };

  // Ids that begin with the text come first, in order, so an equal one is the first.
  const judge = (text, { results, near = [] }) => {
    known = text;
    describe(text, results?.find(({ id }) => id === text));
    warning.textContent = text === "" || results[0]?.id === text ? "" : warning.dataset.text;
    if (!warning.textContent) return;
    const similar = [...results, ...near].slice(0, NEAREST);
    if (similar.length) warning.append(` ${warning.dataset.similar} `);
    for (const found of similar) {
      const textContent = `${found.id} ${found.description}`.trim();
      const button = make("button", { type: "button", className: "element-link", textContent });
      button.addEventListener("click", () => {
        take(found);
        input.focus();
      });
      warning.append(button, " ");
    }
  };

  const find = (signal) => fetch(`${picker.dataset.picker}?${new URLSearchParams({ q: input.value })}`, { signal });

  const check = async () => {
    const text = input.value;
    if (text === known) return;
    if (text === "") return judge(text, {});
    const asked = find().then((answer) => (answer.ok ? answer.json() : null));
    const found = await asked.catch(() => null); // then the page warns after the save
    if (found && text === input.value) judge(text, found);
  };

  const take = (found) => {
    input.value = found.id;
    judge(found.id, { results: [found] });
    input.dispatchEvent(new CustomEvent("filled", { bubbles: true }));
    leave();
  };

  const suggest = ({ results, more: hasMore }) => {
    list.replaceChildren(
      ...results.map((found, at) => {
        const option = make("li", { id: `${list.id}-${at}`, role: "option", ariaSelected: "false" });
        option.append(make("strong", { textContent: found.id }), ` ${found.description}`);
        // Before the input loses the focus.
        option.addEventListener("mousedown", (event) => {
          event.preventDefault();
          take(found);
        });
        return option;
      }),
    );
    close();
    if (results.length) {
      list.hidden = false;
      input.ariaExpanded = "true";
    }
    note.textContent = results.length === 0 ? nothing : hasMore ? more : "";
  };

  const ask = async () => {
    pending?.abort();
    if (!input.value.trim()) return leave();
    pending = new AbortController();
    try {
      const answer = await find(pending.signal);
      if (answer.ok) suggest(await answer.json());
    } catch (error) {
      if (error.name !== "AbortError") leave(); // without suggestions one can still type
    }
  };

  input.addEventListener("input", () => {
    warning.textContent = "";
    known = null;
    clearTimeout(timer);
    timer = setTimeout(ask, TYPING_PAUSE);
  });
  input.addEventListener("blur", () => {
    leave();
    check();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && list.hidden) {
      event.preventDefault();
      ask();
    } else if (!list.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      point(event.key === "ArrowDown" ? active + 1 : active < 0 ? -1 : active - 1);
    } else if (!list.hidden && event.key === "Enter" && active >= 0) {
      event.preventDefault();
      list.children[active].dispatchEvent(new Event("mousedown"));
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      leave();
    }
  });
  if (known === null) check();
};

document.querySelectorAll("[data-picker]").forEach(equip);
