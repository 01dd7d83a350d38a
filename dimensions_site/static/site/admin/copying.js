// Adds a button to each key and secret that is shown once: it copies the text, or selects it for the keys of the system.

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not permitted, or plain http.
    return false;
  }
}

for (const shown of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  const result = document.createElement("span");
  const { copy, copied: success, selected } = shown.dataset;
  button.type = "button";
  button.className = "copy-button";
  button.textContent = copy;
  result.setAttribute("role", "status");
  result.className = "copy-result";
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(shown);
    result.textContent = "";
    result.textContent = (await copied(shown.textContent)) ? success : selected;
  });
  shown.after(" ", button, " ", result);
}
