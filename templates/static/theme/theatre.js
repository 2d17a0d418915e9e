// A slider over the moments of a replay: one is shown at a time. Without JavaScript they stand below each other.

const part = document.querySelector("[data-theatre]");
const slider = part?.querySelector("input[type=range]");
const shown = part?.querySelector("[data-shown]");

/** @param {HTMLInputElement} at @param {Element} where @param {Element} from */
function show(at, where, from) {
  for (const step of from.querySelectorAll("[data-step]")) {
    if (!(step instanceof HTMLElement)) continue;
    step.hidden = step.dataset.step !== at.value;
    if (step.hidden) continue;
    where.textContent = `${at.value} of ${at.max}, at ${step.dataset.at}`;
    at.setAttribute("aria-valuetext", where.textContent);
  }
}

if (part instanceof HTMLElement && slider instanceof HTMLInputElement && shown instanceof HTMLElement) {
  const field = part.querySelector("[data-slider]");
  if (field instanceof HTMLElement) field.hidden = false;
  slider.addEventListener("input", () => show(slider, shown, part));
  show(slider, shown, part);
}
