import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { client } from "./service.mjs";

const page = (ids, next, more = next !== null) => ({ data: ids.map((id) => ({ id })), has_more: more, next_cursor: next });
const cursors = (asked) => asked.map(({ url }) => new URL(url).searchParams.get("starting_after"));
async function ids(list) {
  const found = [];
  for await (const { id } of list) found.push(id);
  return found;
}

describe("a list", () => {
  it("asks nothing before it is read, and each page once", async () => {
    const { causeway, asked } = client([page(["a", "b"], "b"), page(["c"], null)]);
    const list = causeway.refunds.list({ limit: 2 });
    assert.equal(asked.length, 0);
    assert.deepEqual(await ids(list), ["a", "b", "c"]);
    assert.deepEqual(cursors(asked), [null, "b"]);
    assert.ok(asked.every(({ url }) => url.includes("limit=2")));
  });

  it("goes on behind an empty page", async () => {
    const { causeway } = client([page([], "x"), page([], "y"), page(["c"], null)]);
    assert.deepEqual(await ids(causeway.payouts.list()), ["c"]);
  });

  it("stops at a cursor that came before", async () => {
    const { causeway, asked } = client([page(["a"], "a"), page(["b"], "b"), page(["a"], "a")]);
    assert.deepEqual(await ids(causeway.payouts.list()), ["a", "b", "a"]);
    assert.equal(asked.length, 3);
  });

  it("stops where there is a cursor and no more", async () => {
    const { causeway, asked } = client([page(["a"], "a", false)]);
    assert.deepEqual(await ids(causeway.payouts.list()), ["a"]);
    assert.equal(asked.length, 1);
  });

  it("can be read by two at once, each from its start", async () => {
    const { causeway } = client([(init, number) => new Response(JSON.stringify(page(["a"], null)))]);
    const list = causeway.payouts.list();
    assert.deepEqual(await Promise.all([ids(list), ids(list)]), [["a"], ["a"]]);
  });

  it("gives the first row, of whatever page, and asks for no other page", async () => {
    const { causeway, asked } = client([page([], "x"), page(["c", "d"], "d"), page(["e"], null)]);
    assert.deepEqual(await causeway.payouts.list().first(), { id: "c" });
    assert.equal(asked.length, 2);
    assert.equal(await client([page([], null)]).causeway.payouts.list().first(), undefined);
  });

  it("gives pages as they came", async () => {
    const { causeway } = client([{ ...page(["a"], "a"), new_key: 1 }, page(["b"], null)]);
    const pages = [];
    for await (const one of causeway.payouts.list().pages()) pages.push(one);
    assert.deepEqual(pages.map(({ data, new_key }) => [data.length, new_key]), [[1, 1], [1, undefined]]);
  });

  it("goes on towards newer ones where it was begun so", async () => {
    const { causeway, asked } = client([page(["b"], "b"), page(["c"], null)]);
    await ids(causeway.payouts.list({ ending_before: "a" }));
    assert.deepEqual(asked.map(({ url }) => url.split("?")[1]), ["ending_before=a", "ending_before=b"]);
  });

  it("of what belongs to one thing asks for that", async () => {
    const { causeway, asked } = client([page(["t"], "t"), page([], null)]);
    assert.deepEqual(await ids(causeway.paymentIntents.listTransactions("i", { limit: 1 })), ["t"]);
    assert.ok(asked[1].url.endsWith("/payment-intents/i/transactions?limit=1&starting_after=t"));
  });

  it("ends with the error of the page that failed", async () => {
    const { causeway } = client([page(["a"], "a"), [404, { code: "not_found" }]]);
    const seen = [];
    await assert.rejects(async () => { for await (const { id } of causeway.payouts.list()) seen.push(id); }, { code: "not_found" });
    assert.deepEqual(seen, ["a"]);
  });
});
