/** What a page polls with: the tag that it was given last, and none once it acted. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { page } from "./modules.mjs";

const { createApi } = await page("api.js");
const { fetch } = globalThis;
afterEach(() => Object.assign(globalThis, { fetch }));

/** Answers each request with the next of these, and keeps the tags that were sent. @param {[number, string][]} answers */
function served(answers) {
  /** @type {(string | undefined)[]} */
  const sent = [];
  globalThis.fetch = async (_, { headers } = {}) => {
    const [status, ETag] = answers.shift() || [500, ""];
    sent.push(/** @type {any} */ (headers)["If-None-Match"]);
    return new Response(status === 304 ? null : "{}", { status, headers: { ETag } });
  };
  const api = createApi(/** @type {any} */ ({ api_base: "/api", checkout_token: "t", browser: "b", locale: "en" }));
  return { sent, api };
}

test("the tag of an answer is sent with the next question, that of an unchanged state too", async () => {
  const { sent, api } = served([[200, '"a.1"'], [304, '"a.1"'], [304, '"a.2"'], [200, '"b.3"'], [304, '"b.3"']]);
  const heard = [];
  for (let turn = 0; turn < 5; turn += 1) heard.push(await api.state());
  assert.deepEqual(heard, [{}, null, null, {}, null]);
  assert.deepEqual(sent, [undefined, '"a.1"', '"a.1"', '"a.2"', '"b.3"']);
});

test("who acted asks for everything, also where an unchanged state comes late", async () => {
  const { sent, api } = served([[200, '"a.1"'], [304, '"a.2"'], [200, ""], [200, '"b.1"']]);
  await api.state();
  const late = api.state();
  await api.act("quote", {});
  assert.equal(await late, null);
  await api.state();
  assert.deepEqual(sent, [undefined, '"a.1"', undefined, undefined]);
});
