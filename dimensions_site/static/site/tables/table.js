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
const byId = new Map(data.rows.map((row) => [row.id, row]));
const fieldOf = new Map(data.columns.map((column, at) => [column.name, `c${at}`]));

// --- What the form sends ---

const typedIn = (row, cells) =>
  Object.fromEntries(
    data.columns.flatMap((column, at) => {
      const text = (cells[`c${at}`] ?? "").toWellFormed();
      return text === row.stored[at] ? [] : [[column.name, text]];
    }),
  );

const first = data.rows.map((row) => ({
  id: row.id,
  ...Object.fromEntries(data.columns.map((column, at) => [`c${at}`, row.typed[column.name] ?? row.stored[at]])),
}));

const gather = (shown = table.getData()) => {
  const rows = shown.map((cells) => {
    const row = byId.get(cells.id);
    return { id: row.id, base: row.base, typed: typedIn(row, cells), kept: row.kept };
  });
  const columns = data.columns.map((column) => column.name);
  sent.value = JSON.stringify({ repository: data.repository, columns, rows });
  return rows.reduce((count, row) => count + Object.keys(row.typed).length, 0);
};

const report = (text = "", shown = undefined) => {
  const count = gather(shown);
  state.textContent = [`${changedWords} ${count.toLocaleString(document.documentElement.lang)}`, text].filter(Boolean).join(". ");
};

// What was checked is no longer what is in the table.
const outdate = () => {
  for (const part of document.querySelectorAll("[data-saves], [data-result], button[name='_do'][value='save']")) part.hidden = true;
};

// Many cells may change at once.
let pending = 0;
const changed = (text = "") => {
  clearTimeout(pending);
  pending = setTimeout(() => {
    outdate();
    report(text);
  });
};

// The form is complete from the start, so that leaving it unchanged needs no confirmation.
report("", first);

// --- Columns ---

const formatter = (cell) => {
  const element = cell.getElement();
  const row = byId.get(cell.getRow().getIndex());
  const at = Number(cell.getField().slice(1));
  const mark = row.marks[data.columns[at].name];
  const isChanged = cell.getValue() !== row.stored[at];
  element.tabIndex = -1;
  element.classList.toggle("is-changed", isChanged);
  element.classList.toggle("is-marked", mark !== undefined);
  if (mark === undefined) element.removeAttribute("aria-invalid");
  else element.setAttribute("aria-invalid", "true");
  return asText(cell.getValue());
};

const columns = data.columns.map((column, at) => ({
  field: `c${at}`,
  title: column.title,
  titleFormatter: "plaintext",
  minWidth: 110,
  maxInitialWidth: 240,
  formatter,
  tooltip: (_event, cell) => {
    const mark = byId.get(cell.getRow().getIndex()).marks[column.name];
    return mark === undefined ? "" : asText(mark);
  },
  accessorClipboard: quoted,
  ...editorOf(column, { nothing, searching }),
}));

// --- The clipboard ---

const parsePasted = function (pasted) {
  const cells = parsedCells(pasted, table.getRows().length + 1);
  const rows = this.constructor.pasteParsers.range.call(this, cells.map((row) => row.join("\t")).join("\n"));
  if (rows && cells[0].length > Object.keys(rows[0]).length) setTimeout(() => changed(outside), 50);
  return rows && rows.map((row) => Object.fromEntries(Object.entries(row).map(([field, text]) => [field, meant(text)])));
};

// Tabulator's own way to write the pasted rows could not be undone.
const writePasted = (rows) => {
  const before = table.getHistoryUndoSize();
  const range = table.getRanges().at(-1);
  const selected = range.getBottomEdge() - range.getTopEdge() + 1;
  const isCell = selected === 1 && range.getLeftEdge() === range.getRightEdge();
  const target = table.getRows().slice(range.getTopEdge(), range.getTopEdge() + (isCell ? rows.length : selected));
  target.forEach((row, at) => {
    for (const [field, text] of Object.entries(rows[at % rows.length])) row.getCell(field).setValue(text);
  });
  noteBatch(before);
  changed(isCell && target.length < rows.length ? outside : "");
  return target;
};

// --- Undo: what was pasted, filled or emptied together is taken back together ---

const batches = [];
const noteBatch = (before) => {
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
  const before = table.getHistoryUndoSize();
  const [first, ...others] = table.getRanges().at(-1).getStructuredCells();
  for (const cells of others) cells.forEach((cell, at) => cell.setValue(first[at].getValue()));
  noteBatch(before);
};

// --- The grid ---

const table = new window.Tabulator(grid, {
  data: first,
  index: "id",
  columns,
  rowHeader: { field: "id", title: idTitle, titleFormatter: "plaintext", formatter: "plaintext", frozen: true, headerSort: false, minWidth: 90, clipboard: false },
  columnDefaults: { headerSort: false, resizable: "header" },
  height: Math.min(60 + 30 * data.rows.length, Math.max(320, window.innerHeight - grid.getBoundingClientRect().top - 100)),
  renderVertical: "virtual",
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

const go = (id, column) => {
  const row = table.getRow(id);
  if (!row) return;
  const cell = row.getCell(fieldOf.get(column) ?? "c0");
  row.scrollTo("center", false);
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
});

table.on("cellEdited", (cell) => {
  delete byId.get(cell.getRow().getIndex()).marks[data.columns[Number(cell.getField().slice(1))].name];
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
      const before = table.getHistoryUndoSize();
      for (const cell of table.getRanges().at(-1).getCells().flat()) cell.setValue("");
      noteBatch(before);
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

form.addEventListener("click", (event) => {
  const link = event.target.closest("button[data-row]");
  if (link) go(link.dataset.row, link.dataset.column);
});

form.addEventListener("change", ({ target }) => {
  const { row: id, column, number } = target.closest("[data-number]")?.dataset ?? {};
  if (!id) return;
  const row = byId.get(id);
  const at = data.columns.findIndex((one) => one.name === column);
  delete row.marks[column];
  if (target.value === "mine") row.kept[column] = Number(number);
  else delete row.kept[column];
  const mine = row.typed[column] ?? row.stored[at];
  table.getRow(id).getCell(`c${at}`).setValue(target.value === "mine" ? mine : row.stored[at]);
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
