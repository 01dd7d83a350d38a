// The editors of cells: Tabulator's, with what its list lacks.

export const asText = (text) => Object.assign(document.createElement("span"), { textContent: text });

const suggesting = { autocomplete: true, freetext: true, allowEmpty: true, emptyValue: "", itemFormatter: asText };

// Tabulator's list puts the first text back into the box whenever suggestions arrive; what is typed stays.
const picker = (address, elementAttributes, { nothing, searching }) =>
  function (cell, onRendered, success, cancel) {
    let typed = null;
    const itemFormatter = (text) => {
      if (typed !== null) input.value = typed;
      return asText(text);
    };
    const valuesLookup = async (_cell, text) => {
      if (!text.trim()) return [{ label: "", value: "" }];
      const asked = fetch(`${address}?${new URLSearchParams({ q: text })}`).then((answer) => (answer.ok ? answer.json() : null));
      const found = await asked.catch(() => null); // left meanwhile, or offline
      const results = found?.results ?? [];
      if (!results.length) return [{ label: nothing, value: text }];
      return results.map(({ id, description }) => ({ label: `${id} ${description}`.trim(), value: id }));
    };
    const remote = { valuesLookup, elementAttributes, filterRemote: true, itemFormatter, placeholderLoading: searching };
    const input = this.editors.list.call(this, cell, onRendered, success, cancel, { ...suggesting, ...remote });
    input.addEventListener("input", () => {
      typed = input.value;
    });
    return input;
  };

// Return the editor of a column: a list of its values, suggestions of elements, or a box.
export const editorOf = ({ title, values, picker: address }, words) => {
  const elementAttributes = { "aria-label": title };
  if (values.length) return { editor: "list", editorParams: { ...suggesting, elementAttributes, values, listOnEmpty: true, placeholderEmpty: "–" } };
  if (address) return { editor: picker(address, elementAttributes, words) };
  // A box of one line would lose line breaks.
  const editorLookup = (cell) => (cell.getValue().includes("\n") ? "textarea" : "input");
  const paramsLookup = { textarea: { elementAttributes, shiftEnterSubmit: true }, input: { elementAttributes } };
  return { editor: "adaptable", editorParams: { editorLookup, paramsLookup } };
};
