// What Alice does in Firefox: sign in, find, filter, edit a form and a table. `node firefox.mjs PACKAGE BROWSER ADDRESS
// PASSWORD`; PACKAGE is the folder of puppeteer-core, which drives Debian's Firefox by WebDriver BiDi (Playwright asks it
// for a command that only later ones have). Ends with an error at the first step that fails, and on an error of a script
// or of the console.

const [folder, program, address, password] = process.argv.slice(2);
const { default: puppeteer } = await import(`${folder}/lib/puppeteer/puppeteer-core.js`);

const browser = await puppeteer.launch({ browser: "firefox", executablePath: program, timeout: 120_000 });
const page = await browser.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
page.setDefaultTimeout(60_000);
await page.setViewport({ width: 1280, height: 900 });

// Not by role and name: on a page with a hundred fields Firefox needs half a minute for that.
const saying = (text) => page.locator(`::-p-xpath(//*[self::a or self::button][normalize-space()="${text}"])`);
const shown = (text) => page.waitForSelector(`::-p-text(${text})`);
const follow = (target) => Promise.all([page.waitForNavigation(), target.click()]);
const press = async (...keys) => {
  for (const key of keys.slice(0, -1)) await page.keyboard.down(key);
  await page.keyboard.press(keys.at(-1));
  for (const key of keys.slice(0, -1)) await page.keyboard.up(key);
};

try {
  await page.goto(`${address}/admin/`);
  await page.locator("#id_username").fill("alice");
  await page.locator("#id_password").fill(password);
  await follow(page.locator("button[type=submit]"));

  // The list with a condition of several ids; the lines typed first are copied to the clipboard.
  await follow(page.locator("nav a[href*='/account/account/']"));
  await page.locator("::-p-text(Add a condition)").click();
  await page.locator("#field-search").fill("id");
  await press("Enter");
  await page.locator("#condition-operation").fill("in");
  await page.locator("#condition-lines").fill("0090\n0091\n0092");
  await page.focus("#condition-lines");
  await press("Control", "a");
  await press("Control", "c");
  await page.locator("#condition-lines").fill("OLD.0250\nOLD.0251\nOLD.0252");
  await follow(page.locator("::-p-text(Add the condition)"));
  await shown("OLD.0252");
  const list = page.url();

  // The form: a text, and a day as Germans write it.
  await follow(page.locator("#result_list tbody th a"));
  await page
    .locator('::-p-xpath(//textarea[@id=//label[normalize-space()="Description German (de)"]/@for])')
    .fill("Aus Firefox");
  await page.locator("[role=tab]::-p-text(Data entry and reporting)").click();
  await page.locator("[data-path='dataEntryAndReporting.validity.startDate'] input[type='text']").fill("31.01.2026");
  await follow(page.locator("::-p-text(Save and continue editing)"));
  await shown("was saved.");

  // The table: three numbers with leading zeros from the clipboard, a value typed in letters, check and save.
  await page.goto(list);
  await follow(page.locator("::-p-text(Edit as table)"));
  await page.waitForSelector(".tabulator-row");
  const cell = async (number, title) => {
    const titles = await page.$$eval(".tabulator-col", (columns) => columns.map((column) => column.innerText.trim()));
    const rows = await page.$$(".tabulator-row");
    return (await rows[number].$$(".tabulator-cell"))[titles.indexOf(title)];
  };
  await (await cell(0, "Description (de)")).click();
  await press("Control", "v");
  await (await cell(2, "Type")).click();
  await page.keyboard.type("Detail");
  await press("Enter");
  await shown("Changed cells: 4");
  await follow(page.locator("::-p-text(Check table)"));
  await shown("3 rows would be changed");
  await follow(saying("Save"));
  await shown("3 rows were saved.");

  // Any page by keys.
  await press("Control", "k");
  await page.waitForFunction(() => document.activeElement.id === "search-input-command"); // a moment after it is shown
  await page.keyboard.type("kreditverluste");
  await page.waitForSelector("#command-results li");
  await Promise.all([page.waitForNavigation(), press("Enter")]);
  await shown("A.21.190");
} catch (error) {
  errors.push(`${page.url()}: ${error.stack}`);
}
await browser.close();
if (errors.length) {
  console.error(errors.join("\n"));
  process.exit(1);
}
