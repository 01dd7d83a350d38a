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
  // The service may be unreachable for a moment; the next poll may reach it.
  const answer = await fetch(sheet.dataset.progress).catch(() => null);
  // A user who was signed out meanwhile is redirected to the login page.
  if (answer && (answer.redirected || answer.status === 403 || answer.status === 404)) return;
  const progress = answer?.ok ? await answer.json().catch(() => null) : null;
  if (progress && !progress.is_running) return location.reload();
  if (progress) show(progress);
  setTimeout(poll, PAUSE);
}

if (sheet) setTimeout(poll, PAUSE);
