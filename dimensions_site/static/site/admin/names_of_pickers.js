// Labels the pickers of users, groups and repositories: the library leaves empty ones without a label.
"use strict";

function label(select) {
  const picker = select.nextElementSibling;
  const chosen = [...select.selectedOptions].map((option) => option.text.trim()).filter(Boolean);
  const shown = picker?.querySelector(".select2-selection__rendered");
  const name = select.getAttribute("aria-label") || select.labels[0]?.innerText.trim() || select.name;
  const words = [name, ...chosen].join(" ");
  (picker?.querySelector(".select2-search__field") ?? shown)?.setAttribute("aria-label", words);
}

function labelAll() {
  // The library changes its part of the page at the same moment, before or after this.
  setTimeout(() => document.querySelectorAll("select.select2-hidden-accessible").forEach(label));
}

window.addEventListener("load", () => {
  labelAll();
  document.addEventListener("formset:added", labelAll);
  window.django.jQuery(document).on("change", "select.select2-hidden-accessible", labelAll);
});
