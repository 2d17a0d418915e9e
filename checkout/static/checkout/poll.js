/** When to ask the service again: soon while something moves, rarely while nobody looks. */

const QUICK_MS = 700;
const QUICK_TURNS = 12;
const STEADY_MS = 1500;
const CALM_MS = 2500;
const DONE_MS = 15000;
const HIDDEN_MS = 5000;
const SLOWEST_MS = 30000;

/** @param {number} start @param {number} count */
const doubled = (start, count) => (count > 0 ? start * 2 ** Math.min(count - 1, 4) : 0);

/** Milliseconds before the next question. @param {Pace} pace */
export function pause({ moving, done, turns, hidden, failures, retryAfter }) {
  const moves = turns < QUICK_TURNS ? QUICK_MS : STEADY_MS;
  const base = done ? DONE_MS : moving ? moves : CALM_MS;
  const patient = Math.max(base, doubled(HIDDEN_MS, hidden), doubled(CALM_MS, failures));
  return Math.max(Math.min(patient, SLOWEST_MS), retryAfter * 1000);
}

/** Asks for ever, one at a time; answers what plans the next anew. @param {() => Promise<void>} ask @param {() => {moving: boolean, done: boolean}} mood @param {(failures: number) => void} failed */
export function startPolling(ask, mood, failed) {
  let [turns, hidden, failures, retryAfter, timer] = [0, 0, 0, 0, 0];
  let asking = false;

  async function turn() {
    if (asking) return;
    asking = true;
    turns += 1;
    try {
      await ask();
      failures = retryAfter = 0;
    } catch (error) {
      retryAfter = /** @type {any} */ (error).retryAfter || 0;
      failed(++failures);
    }
    asking = false;
    plan();
  }

  function plan() {
    hidden = document.hidden ? hidden + 1 : 0;
    clearTimeout(timer);
    timer = window.setTimeout(turn, pause({ ...mood(), turns, hidden, failures, retryAfter }));
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? plan() : turn()));
  window.addEventListener("online", turn);
  plan();
  return () => {
    turns = 0;
    plan();
  };
}
