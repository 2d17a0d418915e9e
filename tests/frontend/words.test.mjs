import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";

import { page } from "./modules.mjs";

const { formats, moments, problemCodes, problemWords, say, stepWords, tail, words } = await page("words.js");
const source = async (/** @type {string} */ name) => readFile(new URL(`../../checkout/static/checkout/${name}`, import.meta.url), "utf8");

describe("words", () => {
  for (const code of problemCodes) {
    it(`say what happened, where the money is and what to do for ${code}`, () => {
      const parts = problemWords(code);
      assert.equal(parts.length, 3);
      assert.deepEqual(parts.map((/** @type {string} */ part) => /^[A-Z].+\.$/.test(part)), [true, true, true], parts.join(" "));
    });
  }
  it("exist for every problem the scripts can raise", async () => {
    const files = ["main.js", "handover.js", "api.js", "state.js", ...["evm", "evm_send", "approvals", "allowances", "solana", "solana_send"].map((name) => `wallets/${name}.js`)];
    const text = (await Promise.all(files.map(source))).join("\n");
    const raised = [...text.matchAll(/(?:Problem\(|refuse\(|problemOf\(error, |code: )"([a-z_]+)"/g)].map(([, code]) => code);
    const mapped = [...text.matchAll(/(?:-?\d{3,5}\]?|rate_limited|route_unavailable|price_unavailable|quote_expired|transaction_altered): "([a-z_]+)"/g)].map(([, code]) => code);
    assert.ok(raised.length > 8 && mapped.length > 8);
    assert.deepEqual([...new Set([...raised, ...mapped])].filter((code) => !problemCodes.includes(code)), []);
  });
  it("exist for every reason why the service refuses a reported transaction", async () => {
    const text = await readFile(new URL("../../payments/services/follow.py", import.meta.url), "utf8");
    const reasons = [...text.matchAll(/_drop_hint\(leg, "([a-z_]+)"/g)].map(([, code]) => code);
    assert.deepEqual(reasons.filter((code) => !problemCodes.includes(code)), []);
    assert.ok(reasons.length > 1);
  });
  for (const kind of ["reset", "allow", "mined", "pay", "both", "batch"]) {
    it(`say what the wallet asks for ${kind}`, () => {
      const approval = { spender: `0x${"12".repeat(20)}`, amount: "25.12", token: "USDT" };
      assert.match(stepWords({ kind, place: 1, total: 2, approval, provider: "lifi" }), /^[A-Z][^{}]+[.…]$/);
    });
  }
  it("name the contract and the exact amount of an approval", () => {
    const approval = { spender: `0x${"12".repeat(20)}`, amount: "25.12", token: "USDT" };
    assert.equal(stepWords({ kind: "allow", place: 1, total: 2, approval, provider: "lifi" }),
      "Step 1 of 2: allow LI.FI (0x1212…1212) to use exactly 25.12 USDT, for this payment only.");
    assert.equal(stepWords({ kind: "pay", place: 2, total: 2 }), "Step 2 of 2: pay.");
  });
  it("fall back for a code nobody wrote", () => assert.deepEqual(problemWords("never_heard_of"), problemWords("refused")));
  it("leave no gap open", () => {
    assert.equal(say("{0} on {1}", "ETH", "Base"), "ETH on Base");
    for (const parts of Object.values(moments)) assert.equal(/** @type {string[]} */ (parts).length, 3);
    assert.equal(Object.values(words).every((sentence) => typeof sentence === "string" && sentence.length > 0), true);
  });
});

describe("figures", () => {
  const english = formats("en");
  it("never show less than is paid, nor more than there is", () => {
    assert.equal(english.ceil("0.008412345678901234"), "0.008413");
    assert.equal(english.floor("0.084512999999999999"), "0.084512");
    assert.equal(english.ceil("25.1"), "25.10");
    assert.equal(english.floor("123456789012345678.123456789"), "123,456,789,012,345,678.123456");
  });
  it("follow the payer's language", () => {
    assert.equal(formats("de").ceil("1234.5"), "1.234,50");
    assert.equal(english.usd("1000000.00"), "$1,000,000.00");
    assert.equal(english.duration(1), "1 second");
    assert.equal(english.duration(40), "40 seconds");
    assert.equal(english.duration(180), "3 minutes");
  });
  it("shorten addresses from the middle", () => {
    assert.equal(tail("0x7e57000000000000000000000000000000000001"), "0x7e57…0001");
    assert.equal(tail("short"), "short");
  });
});
