// Loads a part of the page when it comes into view. Without this module, or without an answer, its link leads there.

const watcher = new IntersectionObserver(async (seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    const answer = await fetch(target.dataset.load).catch(() => null); // left meanwhile, or offline
    if (answer?.ok) target.innerHTML = await answer.text();
  }
});

for (const part of document.querySelectorAll("[data-load]")) watcher.observe(part);
