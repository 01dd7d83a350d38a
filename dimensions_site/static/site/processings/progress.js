// Keeps the page of a processing up to date while it works. Without this script the link "Look again" does.
const PAUSE = 1000;
const sheet = document.querySelector("[data-progress]");

function show(progress) {
  for (const place of sheet.querySelectorAll("[data-text]")) {
    const text = progress[place.dataset.text];
    // A screen reader tells what changes, and only that.
    if (place.textContent !== text) place.textContent = text;
  }
  sheet.querySelector("progress").value = progress.percentage;
  if (!progress.is_running) sheet.querySelector("[data-while-running]").hidden = true;
}

async function look() {
  let isRunning = true;
  try {
    const answer = await fetch(sheet.dataset.progress);
    // Whoever is logged out meanwhile is sent to the login.
    if (answer.redirected || answer.status === 403 || answer.status === 404) return;
    if (answer.ok) {
      const progress = await answer.json();
      show(progress);
      isRunning = progress.is_running;
    }
  } catch {
    // The service is away for a moment; the next look may find it.
  }
  if (isRunning) setTimeout(look, PAUSE);
}

if (sheet) setTimeout(look, PAUSE);
