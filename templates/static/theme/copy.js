// Copies the text that a button names with data-copies="<id>". Without JavaScript the buttons stay hidden.

/** @param {HTMLElement} source */
function textOf(source) {
  return source instanceof HTMLInputElement ? source.value : (source.textContent ?? "").trim();
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const source = document.getElementById(button.dataset.copies ?? "");
  if (!source) return;
  const words = button.textContent;
  await navigator.clipboard.writeText(textOf(source));
  button.textContent = "Copied";
  button.dataset.done = "";
  setTimeout(() => {
    button.textContent = words;
    delete button.dataset.done;
  }, 1600);
}

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copies]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  }
}
