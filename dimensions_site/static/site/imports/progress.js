// Moves the page of an import while a worker is at it, and shows the result at the end. Without it "Look again" does.
const PAUSE = 1000;
const sheet = document.querySelector("[data-progress]");
const status = sheet.querySelector("[data-text=status]");

async function look() {
  try {
    const answer = await fetch(sheet.dataset.progress);
    // Whoever is logged out meanwhile is sent to the login.
    if (answer.redirected || answer.status === 403 || answer.status === 404) return;
    if (answer.ok) {
      const progress = await answer.json();
      if (!progress.is_running) {
        location.reload();
        return;
      }
      // A screen reader tells what changes, and only that.
      if (status.textContent !== progress.status) status.textContent = progress.status;
      sheet.querySelector("progress").value = progress.percentage;
    }
  } catch {
    // The service is away for a moment; the next look may find it.
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
