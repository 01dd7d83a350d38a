// Opens the browser's calendar beside a field for a date, and writes the chosen day in the format of the page.

const PARTS = ["%Y", "%m", "%d"]; // of an ISO date, in its order

for (const box of document.querySelectorAll("[data-date-format]")) {
  const [text, calendar] = box.querySelectorAll("input");
  const button = box.querySelector("button");
  const format = box.dataset.dateFormat;
  const order = format.match(/%[Ymd]/g);
  const pattern = new RegExp(`^\\s*${format.replaceAll(".", "\\.").replace(/%[md]/g, "(\\d{1,2})").replace("%Y", "(\\d{4})")}`);

  const iso = () => {
    const found = pattern.exec(text.value);
    if (!found) return text.value.trim().slice(0, 10);
    return PARTS.map((part) => found[order.indexOf(part) + 1].padStart(2, "0")).join("-");
  };

  button.hidden = false;
  button.addEventListener("click", () => {
    calendar.value = iso(); // an invalid one is ignored
    calendar.showPicker();
  });
  calendar.addEventListener("change", () => {
    if (!calendar.value) return;
    const parts = calendar.value.split("-");
    text.value = PARTS.reduce((written, part, at) => written.replace(part, parts[at]), format);
    text.dispatchEvent(new Event("input", { bubbles: true }));
    text.focus();
  });
}
