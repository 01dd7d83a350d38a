// Lets people add and remove the entries of a map, and greys out the text of one that has none.

for (const map of document.querySelectorAll("[data-map]")) {
  const entries = map.querySelector("[data-entries]");
  const blank = map.querySelector("template");
  const add = map.querySelector("[data-add]");
  const status = map.querySelector("[data-status]");
  // Entries that were removed before the form was refused leave gaps.
  const numbers = [...entries.querySelectorAll("[name$=':key']")].map(({ name }) => Number(name.split(":").at(-2)));
  let number = Math.max(-1, ...numbers) + 1;

  const prepare = (entry) => {
    const box = entry.querySelector("input[type=checkbox]");
    if (box) {
      const text = entry.querySelector("textarea[name$=':text']");
      const reflect = () => { text.disabled = box.checked; };
      box.addEventListener("change", reflect);
      reflect();
    }
    const remove = entry.querySelector("[data-remove]");
    if (!remove) return;
    remove.hidden = false;
    remove.addEventListener("click", () => {
      const neighbour = entry.nextElementSibling ?? entry.previousElementSibling;
      entry.remove();
      status.textContent = map.dataset.removed;
      (neighbour?.querySelector("[data-remove]") ?? add).focus();
    });
  };

  for (const entry of entries.children) prepare(entry);
  add.hidden = false;
  add.addEventListener("click", () => {
    const entry = blank.content.cloneNode(true).querySelector("[data-entry]");
    for (const control of entry.querySelectorAll("[name]")) {
      control.name = control.name.replace(/:new:(?=[a-z]+$)/, `:${number}:`);
      if (control.id) control.id = `id_${control.name}`;
    }
    number += 1;
    entries.append(entry);
    prepare(entry);
    entry.querySelector("[name$=':key']").focus();
  });
}
