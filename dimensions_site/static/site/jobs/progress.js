// Keeps the page of a job up to date while a worker works on it, and loads it again for what can be done when the job
// has ended. Without this script the link "Refresh" does.
const PAUSE = 1000;
const sheet = document.querySelector("[data-progress]");

function show(progress) {
  for (const place of sheet.querySelectorAll("[data-text]")) {
    const text = progress[place.dataset.text];
    // A screen reader reads only what changes.
    if (place.textContent !== text) place.textContent = text;
  }
  sheet.querySelector("progress").value = progress.percentage;
}

async function poll() {
  let isRunning = true;
  try {
    const answer = await fetch(sheet.dataset.progress);
    // A user who was signed out meanwhile is redirected to the login page.
    if (answer.redirected || answer.status === 403 || answer.status === 404) return;
    if (answer.ok) {
      const progress = await answer.json();
      isRunning = progress.is_running;
      if (isRunning) show(progress);
      else location.reload();
    }
  } catch {
    // The service may be unreachable for a moment; the next poll may reach it.
  }
  if (isRunning) setTimeout(poll, PAUSE);
}

if (sheet) setTimeout(poll, PAUSE);
