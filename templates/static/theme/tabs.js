// The language that a reader chose in one sample is chosen in all others too, and on the next page.
// Without JavaScript each sample is chosen by itself.

const KEPT = "docs-language";

/** @param {string} language */
function choose(language) {
  for (const input of document.querySelectorAll(".tabs > input")) {
    if (input instanceof HTMLInputElement && input.value === language) input.checked = true;
  }
}

const kept = localStorage.getItem(KEPT);
if (kept) choose(kept);
document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".tabs > input")) return;
  const before = target.getBoundingClientRect().top;
  choose(target.value);
  localStorage.setItem(KEPT, target.value);
  scrollBy(0, target.getBoundingClientRect().top - before); // samples above may have become longer or shorter
});
