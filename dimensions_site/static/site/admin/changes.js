// Marks the groups with fields to change, and sets what a chosen element fills.

const form = document.getElementById("changes-form");

const mark = () => {
  for (const tab of form.querySelectorAll("[data-tabs] a")) {
    const choices = document.getElementById(tab.getAttribute("href").slice(1)).querySelectorAll(".element-how");
    tab.toggleAttribute("data-chosen", [...choices].some(({ value }) => value));
  }
};

form.addEventListener("filled", ({ target }) => {
  target.closest(".element-field").querySelector(".element-how").value = target.value ? "set" : "clear";
});
for (const event of ["change", "click"]) form.addEventListener(event, mark);
mark();
