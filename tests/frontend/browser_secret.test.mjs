/** What makes a try this browser's: a secret of the page's own, sent in a header and nowhere else. */

import assert from "node:assert/strict";
import { after, test } from "node:test";

import { EVM } from "./modules.mjs";
import { evmWallet, leave, serviceOf, visit } from "./visit.mjs";

after(leave);

/** Pays, and gives what the service heard. @param {object} storage */
async function paid(storage) {
  const service = serviceOf();
  const page = await visit({ service, storage, wallets: evmWallet("w", EVM.toLowerCase()).listen });
  await page.pay("evm:w");
  await page.until("a report", () => service.of("submitted").length);
  assert.deepEqual(page.complaints, []);
  return service.heard.filter(({ address }) => address.startsWith("/api"));
}

/** @param {{headers: Record<string, string>}[]} heard */
const secretsOf = (heard) => [...new Set(heard.map(({ headers }) => headers["Checkout-Browser"]))];

test("every request carries it, and no address or body does", async () => {
  const heard = await paid({});
  const [secret, ...others] = secretsOf(heard);
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.deepEqual(others, []);
  assert.ok(heard.some(({ address }) => address.endsWith("/submitted")));
  for (const { address, body } of heard) assert.ok(!`${address} ${body}`.includes(secret));
});

test("a page that is opened again has the same one, another browser has its own", async () => {
  const storage = {};
  const [first] = secretsOf(await paid(storage));
  const service = serviceOf();
  await visit({ service, storage });
  const [again] = secretsOf(service.heard.filter(({ address }) => address.startsWith("/api")));
  const [other] = secretsOf(await paid({}));
  assert.equal(again, first);
  assert.notEqual(other, first);
});

test("where nothing can be stored it lasts as long as the page", async () => {
  const refusing = new Proxy({}, { set() { throw new Error("refused"); } });
  const [secret, ...others] = secretsOf(await paid(refusing));
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.deepEqual(others, []);
});

test("a page that was here before asks at once what is its own", async () => {
  const service = serviceOf();
  await visit({ service, storage: { "checkout:i:browser": JSON.stringify(["ab".repeat(32)]) } });
  assert.deepEqual(secretsOf(service.heard.slice(0, 1)), ["ab".repeat(32)]);
  assert.equal(service.heard[0].address, "/api/state");
});

test("somebody else who pays is told of, once this page takes part", async () => {
  const service = serviceOf();
  service.state.others = { open: 1, furthest: "awaiting_signature" };
  const page = await visit({ service, wallets: evmWallet("w", EVM.toLowerCase()).listen });
  await page.press("wallet evm:w");
  await page.until("the note", () => page.elements.others?.hidden === false);
});
