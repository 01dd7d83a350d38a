// What all pages share: the keyboard in what opens over a page, such as the filters of a list, and forms that are sent once.
"use strict";

// Pages show instants in the person's time zone, which only the browser knows. The cookie stays below the service's prefix,
// which precedes static/site/admin/ in the address of this file.
const below = new URL("../../../", document.currentScript.src).pathname;
const safely = location.protocol === "https:" ? "; secure" : "";
document.cookie = `zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=${below}; max-age=31536000; samesite=lax${safely}`;

const FOCUSABLE = "a[href], button:not([disabled]), input:not([type=hidden]):not([disabled]), select, textarea, [tabindex='0']";
const isShown = (element) => element.checkVisibility({ visibilityProperty: true });

// Alpine shows what a button or a key opens in a later frame; on a busy machine that is not always the next one.
const MOST_FRAMES = 60;
const focusWhenShown = (find, frames = 0) => {
  const first = find().find(isShown);
  if (first) first.focus();
  else if (frames < MOST_FRAMES) requestAnimationFrame(() => focusWhenShown(find, frames + 1));
};
const focusables = (button) =>
  button.ariaExpanded === "true" ? [...document.getElementById(button.getAttribute("aria-controls")).querySelectorAll(FOCUSABLE)] : [];

// Focus moves into what a button with `data-opens` has opened, and back to the button when Escape closes it.
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-opens]");
  if (button) setTimeout(() => focusWhenShown(() => focusables(button)));
  // A menu closes when the user goes on elsewhere.
  for (const menu of document.querySelectorAll("[data-menu][open]")) menu.open = menu.contains(target);
});

document.addEventListener("keydown", ({ key, target }) => {
  if (key !== "Escape") return;
  for (const button of document.querySelectorAll("[data-opens]")) {
    const opened = document.getElementById(button.getAttribute("aria-controls"));
    if (isShown(button) && opened?.contains(document.activeElement))
      setTimeout(() => button.focus());
  }
  const menu = target.closest?.("[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// The name of an icon is a ligature of its font. It is not read aloud where words name the control.
const silence = (icon) => {
  const control = icon.closest("a, button");
  const isAlone = control && !control.textContent.replace(icon.textContent, "").trim();
  if (isAlone && !control.ariaLabel && control.title) control.ariaLabel = control.title;
  if (!isAlone || control.ariaLabel) icon.ariaHidden = "true";
};
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".material-symbols-outlined").forEach(silence);
  document.getElementById("content")?.setAttribute("role", "main");
  // The menu shows the open page, however far down its link is.
  const current = document.querySelector("#nav-sidebar [aria-current=page]");
  const menu = current?.closest(".overflow-auto");
  const hidden = menu ? current.getBoundingClientRect().bottom - menu.getBoundingClientRect().bottom : 0;
  if (hidden > 0) menu.scrollTop += Math.ceil(hidden) + 8;
});

// A double click sends a form once. It may be sent again by another button, when something in it has changed, and later:
// the first may have been stopped, or was a download.
const AGAIN_AFTER = 5_000; // milliseconds
const lastSent = new WeakMap();
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  const [button, at] = lastSent.get(event.target) ?? [];
  if (button === event.submitter && event.timeStamp - at < AGAIN_AFTER) event.preventDefault();
  else lastSent.set(event.target, [event.submitter, event.timeStamp]);
});
document.addEventListener("change", ({ target }) => lastSent.delete(target.form));
const allowAgain = () => [...document.forms].forEach((form) => lastSent.delete(form));
// The page may come back from the browser's memory, or its user stays when they are asked.
addEventListener("pageshow", allowAgain);
addEventListener("beforeunload", (event) => setTimeout(() => event.defaultPrevented && allowAgain()));

// After signing out, nobody who uses this browser finds what was typed in forms (drafts.js).
if (location.pathname.endsWith("/logout/")) {
  for (const key of Object.keys(localStorage).filter((name) => name.startsWith("draft:"))) localStorage.removeItem(key);
}
