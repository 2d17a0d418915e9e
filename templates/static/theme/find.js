// "/" leads to the search box, and an open sheet closes on Escape or a click elsewhere. Everything works without it.

const box = document.querySelector("input[data-search]");
const isTyping = () => {
  const where = document.activeElement;
  return where instanceof HTMLElement && (where.isContentEditable || where.matches("input, textarea, select"));
};

for (const hint of document.querySelectorAll("[data-search-key]")) {
  if (hint instanceof HTMLElement) hint.hidden = false;
}

/** @param {(sheet: HTMLDetailsElement) => boolean} isMeant */
function close(isMeant) {
  for (const sheet of document.querySelectorAll("details.drop[open]")) {
    if (sheet instanceof HTMLDetailsElement && isMeant(sheet)) sheet.open = false;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    close((sheet) => {
      if (sheet.contains(document.activeElement)) sheet.querySelector("summary")?.focus();
      return true;
    });
  }
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping()) return;
  if (!(box instanceof HTMLInputElement)) return;
  event.preventDefault();
  box.focus();
  box.select();
});

document.addEventListener("click", (event) => {
  const where = event.target;
  if (where instanceof Node) close((sheet) => !sheet.contains(where));
});
