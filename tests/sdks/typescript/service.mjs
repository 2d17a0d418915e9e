/** The built SDK, and a service that gives prepared answers. `SDK` is the folder that was built. */

import { mock } from "node:test";

/** @param {string} name @returns {Promise<any>} */
export const load = (name) => import(new URL(name, process.env["SDK"]).href);

export const sdk = await load("index.js");
export const { Causeway } = sdk;
export const KEY = "sk_test_4242424242424242";

/**
 * A `fetch` that answers one after the other: a body for 200, `[status, body, headers]`, a Response, or an error to throw.
 * Once there is no answer left it gives the last one again.
 */
export function answers(given) {
  const asked = [];
  const fetch = async (url, init) => {
    asked.push({ url: String(url), ...init, headers: new Headers(init.headers) });
    const answer = given[Math.min(asked.length, given.length) - 1];
    if (typeof answer === "function") return answer(init, asked.length);
    if (answer instanceof Error) throw answer;
    if (answer instanceof Response) return answer.clone();
    const [status, body, headers] = Array.isArray(answer) ? answer : [200, answer, {}];
    return new Response(JSON.stringify(body), { status, headers });
  };
  return { fetch, asked };
}

/** @param {any[]} given @param {object} [options] */
export function client(given, options) {
  const { fetch, asked } = answers(given);
  return { causeway: new Causeway({ apiKey: KEY, baseUrl: "https://pay.example", fetch, ...options }), asked };
}

/** Lets each wait end at once, and returns how long each was to be, in milliseconds. @param {any} test */
export function skippedWaits(test) {
  /** @type {number[]} */
  const waits = [];
  const real = globalThis.setTimeout;
  test.mock.method(globalThis, "setTimeout", (then, milliseconds, ...more) => {
    waits.push(milliseconds);
    return real(then, 0, ...more);
  });
  return waits;
}

export { mock };
