// Sets a field of a new element to what the value of another suggests, until somebody chooses something else.

for (const box of document.querySelectorAll("[data-follows]")) {
  const values = JSON.parse(box.dataset.suggested);
  let own = box.value;
  document.getElementById(box.dataset.follows).addEventListener("change", ({ target }) => {
    if (box.value === own) box.value = own = values[target.value] ?? "";
  });
}
