// Copies what a button names: data-value="<the text>", data-copies="<id>", or data-copies alone for the code beside it.
// Without JavaScript the buttons stay hidden.

const SHOWN_MS = 1600;

/** @param {HTMLElement} source */
function textOf(source) {
  return source instanceof HTMLInputElement ? source.value : (source.textContent ?? "").trim();
}

/** @param {HTMLButtonElement} button */
function wanted(button) {
  if (button.dataset.value !== undefined) return button.dataset.value;
  const id = button.dataset.copies;
  const source = id ? document.getElementById(id) : button.closest(".code")?.querySelector("pre");
  return source instanceof HTMLElement ? textOf(source) : undefined;
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const text = wanted(button);
  if (text === undefined) return;
  await navigator.clipboard.writeText(text);
  button.dataset.done = "";
  const words = button.textContent;
  const isIcon = button.dataset.value !== undefined && button.hasAttribute("aria-label");
  if (!isIcon) button.textContent = "Copied";
  setTimeout(() => {
    if (!isIcon) button.textContent = words;
    delete button.dataset.done;
  }, SHOWN_MS);
}

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copies], button[data-value]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = false;
    button.addEventListener("click", () => {
      if (!("done" in button.dataset)) void copy(button);
    });
  }
}
