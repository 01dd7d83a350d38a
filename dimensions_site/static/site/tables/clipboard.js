// Cells in the clipboard, as spreadsheets write them: those with tabs, line breaks or quotation marks are quoted.

const HIDDEN = { "\n": "\ue000", "\t": "\ue001" };
const SHOWN = { "\ue000": "\n", "\ue001": "\t" };

// Return the cell as the clipboard has it.
export const quoted = (text) => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Return the cells of at most so many lines, without tabs and line breaks, which `meant` brings back.
// All rows are equally long: Tabulator would fill shorter ones with their beginning.
export const parsedCells = (pasted, lines) => {
  const plain = pasted.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const hide = (_all, before, cell) => before + cell.replaceAll('""', '"').replace(/[\n\t]/g, (each) => HIDDEN[each]);
  const hidden = plain.replace(/(^|[\t\n])"((?:[^"]|"")*)"(?=[\t\n]|$)/g, hide);
  const cells = hidden.split("\n", lines).map((line) => line.split("\t"));
  const width = Math.max(...cells.map((row) => row.length));
  return cells.map((row) => [...row, ...Array(width - row.length).fill("")]);
};

// Return the text of a parsed cell.
export const meant = (text) => text.replace(/[\ue000\ue001]/g, (each) => SHOWN[each]);
