// The reason that was typed beside Import goes along when the file is checked again.

addEventListener("submit", ({ target }) => {
  const field = document.getElementById(target.dataset.with);
  if (field) target.append(Object.assign(document.createElement("input"), { type: "hidden", name: field.name, value: field.value }));
});
