import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { page } from "./modules.mjs";

const { formats, learnWords, momentWords, nameOf, problemWords, say } = await page("words.js");
const { stepWords, tail } = await page("payment/phrases.js");
learnWords({
  sentences: { on: "{0} on {1}", payStep: "Step {0} of {1}: pay.", allow: "Step {0} of {1}: allow {2} to use exactly {3}." },
  names: { lifi: "LI.FI" }, problems: { unreachable: ["No answer.", "Safe.", "Try again."] },
});

describe("words", () => {
  it("fill the gaps of a sentence, with text as it is", () => {
    assert.equal(say("on", "ETH", "Base"), "ETH on Base");
    assert.equal(say("on", "{1}", "$&"), "{1} on $&");
  });
  it("are the key where no sentence is known", () => assert.deepEqual([say("nobody"), nameOf("base")], ["nobody", "base"]));
  it("name the contract and the exact amount of an approval", () => {
    const approval = { spender: `0x${"12".repeat(20)}`, amount: "25.12", token: "USDT" };
    assert.equal(stepWords({ kind: "allow", place: 1, total: 2, approval, provider: "lifi" }),
      "Step 1 of 2: allow LI.FI (0x1212…1212) to use exactly 25.12 USDT.");
    assert.equal(stepWords({ kind: "pay", place: 2, total: 2 }), "Step 2 of 2: pay.");
  });
  it("come in two parts, and fall back to what the page itself brought", () => {
    assert.deepEqual(problemWords("declined"), ["No answer.", "Safe.", "Try again."]);
    learnWords({ problems: { refused: ["Refused.", "Safe.", "Go on."], declined: ["Declined.", "Safe.", "Go on."] }, moments: { signing: ["Confirm in {0}", "m", "n"] } });
    assert.equal(problemWords("declined")[0], "Declined.");
    assert.equal(problemWords("never_heard_of")[0], "Refused.");
    assert.deepEqual([momentWords("signing", "Wallet"), momentWords("", "Wallet")], [["Confirm in Wallet", "m", "n"], undefined]);
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
    assert.equal(formats("ar-u-nu-latn").usd("1234.5"), "\u20661,234.50\u00a0US$\u2069");
    assert.equal(formats("pt-br").usd("1234.5"), "US$\u00a01.234,50");
    assert.equal(english.duration(1), "1 second");
    assert.equal(english.duration(40), "40 seconds");
    assert.equal(english.duration(180), "3 minutes");
  });
  it("shorten addresses from the middle", () => {
    assert.equal(tail("0x7e57000000000000000000000000000000000001"), "0x7e57…0001");
    assert.equal(tail("short"), "short");
  });
});
