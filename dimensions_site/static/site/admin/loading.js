// Loads a part of the page when it comes into view. Without this module, or without an answer, its link leads there.

const watcher = new IntersectionObserver(async (seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    const loaded = fetch(target.dataset.load).then((answer) => (answer.ok ? answer.text() : ""));
    const html = await loaded.catch(() => ""); // left meanwhile, or offline
    if (html) target.innerHTML = html;
  }
});

for (const part of document.querySelectorAll("[data-load]")) watcher.observe(part);
