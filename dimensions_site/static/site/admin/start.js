// Lists the drafts of the user that this browser keeps (drafts.js, which has removed what was saved).
const template = document.querySelector("[data-drafts]");
const prefix = `draft:${template.dataset.drafts}:`;
const writable = template.dataset.repositories.split(" ");

for (const key of Object.keys(localStorage).filter((name) => name.startsWith(prefix))) {
  const [path, repository] = key.slice(prefix.length).split("?");
  // It was deleted meanwhile, or is closed to the user.
  if (repository && !writable.includes(repository)) continue;
  const item = template.content.cloneNode(true);
  const link = item.querySelector("a");
  link.href = repository ? `${path}?repository=${repository}` : path;
  link.textContent = JSON.parse(localStorage.getItem(key)).title ?? path;
  document.querySelector("[data-nothing]")?.remove();
  template.before(item);
}
