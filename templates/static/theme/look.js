// Draws the miniatures anew while a person chooses. Without JavaScript the Preview button does it.

const PAUSE_MS = 120;

const form = document.getElementById("look-form");
const sheet = document.getElementById("preview-sheet");

/** @param {HTMLFormElement} from @param {string} name */
function valueOf(from, name) {
  const field = from.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : "";
}

/** @param {HTMLFormElement} from @param {HTMLLinkElement} link */
function draw(from, link) {
  const wanted = new URLSearchParams();
  for (const name of ["accent", "shape", "font"]) wanted.set(name, valueOf(from, name));
  link.href = `${from.dataset.preview}?${wanted}`;
  const name = valueOf(from, "display_name").trim() || from.dataset.business || "";
  for (const place of document.querySelectorAll("[data-preview-name] bdi")) place.textContent = name;
}

if (form instanceof HTMLFormElement && sheet instanceof HTMLLinkElement) {
  let waiting = 0;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => draw(form, sheet), PAUSE_MS);
  });
}
