// Adds a button to each key and secret that is shown once: it copies the text, or selects it for the keys of the system.

// Not permitted, or plain http.
const copied = (text) => navigator.clipboard?.writeText(text).then(() => true, () => false);

for (const shown of document.querySelectorAll("[data-copy]")) {
  const { copy, copied: success, selected } = shown.dataset;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy-button", textContent: copy });
  const result = Object.assign(document.createElement("span"), { role: "status", className: "copy-result" });
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(shown);
    result.textContent = "";
    result.textContent = (await copied(shown.textContent)) ? success : selected;
  });
  shown.after(" ", button, " ", result);
}
