// The table of elements: a grid by Tabulator, which knows keys, ranges, the clipboard and undo. What it lacks is here:
// typing begins to edit, filling down, one step of undo for what was pasted together, and what the form sends.

import { meant, parsedCells, quoted } from "./clipboard.js";
import { asText, editorOf } from "./editors.js";

const grid = document.getElementById("table-grid");
const form = document.getElementById("table-form");
const sent = document.getElementById("table-sent");
const state = form.querySelector("[data-state]");
const data = JSON.parse(document.getElementById("table-data").textContent);
const [changedWords, nothing, searching, outside, tooMuch, idTitle, name] = grid.dataset.words.split("|");

// --- Rows: the key of a new one is no id that an element can have ---

const rows = new Map();
const cellsOf = (row) => {
  const key = row.is_new ? `\0${rows.size}` : row.id;
  row.before = { id: row.is_new ? "" : row.id, ...Object.fromEntries(data.columns.map(({ name }, at) => [name, row.stored[at]])) };
  rows.set(key, row);
  return { key, ...row.before, ...row.typed, id: row.id };
};
const first = data.rows.map(cellsOf);
const rowOf = (cell) => rows.get(cell.getRow().getIndex());
// Errors of the whole row are at its id.
const place = (cell) => (cell.getField() === "id" ? "" : cell.getField());

// The id of a stored row cannot be changed.
const isOpen = (cell) => place(cell) !== "" || rowOf(cell).is_new;
const put = (cell, text) => isOpen(cell) && cell.setValue(text);

const addRows = (count) => {
  const added = Array.from({ length: Math.min(count, data.maximum - table.getRows().length) }, () =>
    cellsOf({ id: "", base: 0, stored: data.columns.map(() => ""), typed: {}, kept: {}, marks: {}, is_new: true }),
  );
  table.getColumn("id").show();
  table.addData(added);
  table.setHeight(height());
  table.getRows().at(-1).scrollTo("bottom", false);
  holder().focus({ preventScroll: true });
};

// --- What the form sends ---

const sentRow = ({ key, id, ...cells }) => {
  const { before, base, kept, is_new } = rows.get(key);
  const texts = Object.entries(cells).map(([name, text]) => [name, (text ?? "").toWellFormed()]);
  return { id: id.toWellFormed(), base, typed: Object.fromEntries(texts.filter(([name, text]) => text !== before[name])), kept, is_new };
};

const gather = (shown = table.getData()) => {
  const written = shown.map(sentRow).filter(({ id, typed, is_new }) => !is_new || id || Object.keys(typed).length);
  sent.value = JSON.stringify({ repository: data.repository, columns: data.columns.map(({ name }) => name), rows: written });
  return written.reduce((count, row) => count + Object.keys(row.typed).length + row.is_new, 0);
};

const report = (text, shown) => {
  const count = gather(shown);
  state.textContent = [`${changedWords} ${count.toLocaleString(document.documentElement.lang)}`, text].filter(Boolean).join(". ");
};

// Many cells may change at once. What was checked is no longer what is in the table.
let pending = 0;
const changed = (text) => {
  clearTimeout(pending);
  pending = setTimeout(() => {
    for (const part of document.querySelectorAll("[data-saves], [data-result], button[name='_do'][value='save']")) part.hidden = true;
    report(text);
  });
};

// The form is complete from the start, so that leaving it unchanged needs no confirmation.
report("", first);

// --- Columns ---

const formatter = (cell) => {
  const element = cell.getElement();
  const { marks, before } = rowOf(cell);
  const mark = marks[place(cell)];
  element.tabIndex = -1;
  element.classList.toggle("is-changed", cell.getValue() !== before[cell.getField()]);
  element.classList.toggle("is-marked", mark !== undefined);
  if (mark === undefined) element.removeAttribute("aria-invalid");
  else element.setAttribute("aria-invalid", "true");
  return asText(cell.getValue());
};

const columns = [{ name: "id", title: idTitle, values: [] }, ...data.columns].map((column, at) => ({
  field: column.name,
  title: column.title,
  titleFormatter: "plaintext",
  visible: at > 0 || data.rows.some((row) => row.is_new),
  minWidth: 110,
  maxInitialWidth: 240,
  formatter,
  editable: isOpen,
  tooltip: (_event, cell) => {
    const mark = rowOf(cell).marks[place(cell)];
    return mark === undefined ? "" : asText(mark);
  },
  accessorClipboard: quoted,
  ...editorOf(column, { nothing, searching }),
}));

// --- The clipboard ---

const parsePasted = function (pasted) {
  const cells = parsedCells(pasted, data.maximum + 1);
  const found = this.constructor.pasteParsers.range.call(this, cells.map((row) => row.join("\t")).join("\n"));
  if (found && cells[0].length > Object.keys(found[0]).length) setTimeout(() => changed(outside), 50);
  return found && found.map((row) => Object.fromEntries(Object.entries(row).map(([field, text]) => [field, meant(text)])));
};

// Tabulator's own way to write the pasted rows could not be undone.
const writePasted = (pasted) => {
  const range = table.getRanges().at(-1);
  const selected = range.getBottomEdge() - range.getTopEdge() + 1;
  const isCell = selected === 1 && range.getLeftEdge() === range.getRightEdge();
  const end = range.getTopEdge() + (isCell ? pasted.length : selected);
  let target = [];
  together(() => {
    if (end > table.getRows().length) addRows(end - table.getRows().length);
    target = table.getRows().slice(range.getTopEdge(), end);
    target.forEach((row, at) => {
      for (const [field, text] of Object.entries(pasted[at % pasted.length])) put(row.getCell(field), text);
    });
  });
  changed(isCell && target.length < pasted.length ? outside : "");
  return target;
};

// --- Undo: what was pasted, filled or emptied together is taken back together ---

const batches = [];
const together = (change) => {
  const before = table.getHistoryUndoSize();
  change();
  const after = table.getHistoryUndoSize();
  if (after > before) batches.push({ before, after });
};

const undo = () => {
  const size = table.getHistoryUndoSize();
  while (batches.length && batches.at(-1).after > size) batches.pop();
  const batch = batches.at(-1)?.after === size ? batches.pop() : { before: size - 1 };
  table.blockRedraw();
  while (table.getHistoryUndoSize() > Math.max(batch.before, 0)) table.undo();
  table.restoreRedraw();
};

const fillDown = () => {
  const [first, ...others] = table.getRanges().at(-1).getStructuredCells();
  together(() => others.flat().forEach((cell, at) => put(cell, first[at % first.length].getValue())));
};

// --- The grid ---

const height = () => Math.min(60 + 30 * rows.size, Math.max(320, window.innerHeight - grid.getBoundingClientRect().top - 100));

const table = new window.Tabulator(grid, {
  data: first,
  index: "key",
  nestedFieldSeparator: false,
  columns,
  rowHeader: { title: idTitle, titleFormatter: "plaintext", formatter: (cell) => asText(cell.getData().id || "+"), frozen: true, headerSort: false, minWidth: 90, clipboard: false },
  columnDefaults: { headerSort: false, resizable: "header" },
  height: height(),
  layout: "fitDataFill",
  history: true,
  selectableRange: 1,
  selectableRangeColumns: true,
  selectableRangeRows: true,
  selectableRangeClearCells: false, // each cell would be a step of its own
  selectableRangeAutoFocus: false,
  editTriggerEvent: "dblclick",
  clipboard: true,
  clipboardCopyStyled: false,
  clipboardCopyConfig: { rowHeaders: false, columnHeaders: false },
  clipboardCopyRowRange: "range",
  clipboardCopyFormatter: (type, output) => (type === "plain" ? output : ""),
  clipboardPasteParser: parsePasted,
  clipboardPasteAction: writePasted,
  // Tab leaves the grid, as the keyboard must not be caught.
  keybindings: { navPrev: false, navNext: false, undo: false, redo: ["ctrl + 89", "meta + 89"] },
});

// Firefox pastes into the page if no field has the focus.
document.addEventListener("paste", (event) => {
  if (grid.contains(event.target) || !grid.contains(document.activeElement)) return;
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", event.clipboardData.getData("text/plain"));
  grid.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  event.preventDefault();
});

const ranges = () => table.module("selectRange");
const isEditing = () => grid.classList.contains("tabulator-editing");
const activeCell = () => ranges().getActiveCell()?.getComponent();

const holder = () => grid.querySelector(".tabulator-tableholder");

table.on("rangeChanged", () => {
  if (!isEditing() && holder().contains(document.activeElement)) activeCell()?.getElement().focus({ preventScroll: true });
});

// A row that is scrolled away is taken out of the page, and with it the focus.
table.on("scrollVertical", () => {
  if (document.activeElement === document.body) holder().focus({ preventScroll: true });
});

const go = (row, field) => {
  row.scrollTo("center", false);
  const cell = row.getCell(field); // not earlier: a row gets new cells when it is drawn
  table.getRanges().at(-1).setBounds(cell, cell);
  cell.getElement().scrollIntoView({ block: "center", inline: "nearest" });
  holder().focus({ preventScroll: true });
};

// People who hear the page hear the cell that has the focus; its rows are children of what scrolls.
table.on("tableBuilt", () => {
  holder().setAttribute("role", "rowgroup");
  holder().setAttribute("aria-label", name);
  // What scrolls can have the focus, which nobody would see there, and the headings scroll with the cells.
  grid.querySelector(".tabulator-header").tabIndex = -1;
  holder().querySelector(".tabulator-table").removeAttribute("role");
  grid.setAttribute("aria-label", name);
  grid.setAttribute("aria-describedby", "table-help");
  // Who opens the table types or pastes next; a summary of errors comes first.
  if (document.activeElement === document.body && !document.querySelector("[data-summary]")) holder().focus({ preventScroll: true });
});

table.on("cellEdited", (cell) => {
  delete rowOf(cell).marks[place(cell)];
  changed();
});
table.on("historyUndo", () => changed());
table.on("historyRedo", () => changed());

grid.addEventListener(
  "keydown",
  (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isEditing()) {
      if (event.key === "Tab") {
        event.preventDefault();
        event.target.blur();
        ranges().navigate(false, false, event.shiftKey ? "left" : "right");
      } else if (event.key === "Enter" && event.target.tagName === "INPUT") {
        event.preventDefault(); // of sending the form
      }
    } else if (isCommand && event.key.toLowerCase() === "d") {
      event.preventDefault();
      fillDown();
    } else if (isCommand && !event.shiftKey && event.key.toLowerCase() === "z") {
      event.preventDefault();
      undo();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      together(() => table.getRanges().at(-1).getCells().flat().forEach((cell) => put(cell, "")));
    } else if (event.key === "F2") {
      event.preventDefault();
      activeCell()?.edit();
    } else if (event.key.length === 1 && !isCommand && !event.altKey && !event.isComposing) {
      // The key goes into the box, which has the focus by then, in place of what is there.
      activeCell()?.edit();
      grid.querySelector(".tabulator-editing :is(input, textarea)")?.select();
    }
  },
  true,
);

// Later than the box itself, which has ended the editing by then.
grid.addEventListener("keydown", ({ key, target }) => {
  if (key === "Enter" && target.tagName === "INPUT" && !isEditing()) ranges().navigate(false, false, "down");
});

form.querySelector("[data-fill]").addEventListener("click", fillDown);
form.querySelector("[data-undo]").addEventListener("click", undo);
form.querySelector("[data-more]").addEventListener("click", () => {
  addRows(1);
  go(table.getRows().at(-1), "id");
});

form.addEventListener("click", (event) => {
  const link = event.target.closest("button[data-row]");
  // Of two with one id, the one that was added.
  const row = link && table.getRows().findLast((one) => one.getData().id === link.dataset.row);
  if (row) go(row, link.dataset.column || (rows.get(row.getIndex()).is_new ? "id" : data.columns[0].name));
});

form.addEventListener("change", ({ target }) => {
  const { row: id, column, number } = target.closest("[data-number]")?.dataset ?? {};
  if (!id) return;
  const row = rows.get(id);
  delete row.marks[column];
  if (target.value === "mine") row.kept[column] = Number(number);
  else delete row.kept[column];
  table.getRow(id).getCell(column).setValue((target.value === "mine" ? row.typed : row.before)[column] ?? row.before[column]);
  table.getRow(id).reformat();
  report();
});

for (const key of form.querySelectorAll("[name='_key']")) {
  key.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    form.querySelector("[value='columns']").click();
  });
}

form.addEventListener("submit", (event) => {
  gather();
  const length = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === "string")).toString().length;
  if (length + 1_000 > data.limit) {
    event.preventDefault();
    report(tooMuch);
  }
});
