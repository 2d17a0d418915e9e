import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";

const near = (path) => readFile(new URL(path, import.meta.url), "utf8");
const script = (await near("../../docs/verify.html")).split("<script>")[1].split("</script>")[0];
// What draws is left out: the page's rules are tested here, its looks in a browser.
const verify = new Function(`${script.split("async function show()")[0]}; return verify;`)();
const [record, keys] = await Promise.all([near("../records/vectors/record.json"), near("../records/vectors/keys.json")]);

const problems = async (...files) => (await verify(...files)).problems;

describe("the page that checks a record without a server", () => {
  it("finds what the service signed to hold, however it is laid out", async () => {
    assert.deepEqual(await problems(record, keys), []);
    assert.deepEqual(await problems(JSON.stringify(JSON.parse(record), null, 2), keys), []);
    const receipt = JSON.stringify(JSON.parse(record).seals[0]);
    assert.deepEqual(await problems(receipt, keys), []);
    assert.equal((await verify(receipt, keys)).receipt.merchant.name, "Corner Shop");
  });
  it("names what was changed", async () => {
    const changed = record.replace('"25.00"', '"26.00"');
    assert.deepEqual(await problems(changed, keys), ["entry 1 (payment.create) is not what its hash is over"]);
    assert.match((await problems(record.replace('"head"', '"head":"","head"'), keys))[0], /a key stands twice/);
    assert.match((await problems(record, keys.replace("2026-05-05", "2026-05-06")))[0], /did not endorse it|its signature/);
  });
  it("finds 500 changes of one byte to records, receipts and key files", async () => {
    let chance = 113;
    const next = (below) => (chance = (chance * 1103515245 + 12345) % 2147483648) % below;
    const receipt = JSON.stringify(JSON.parse(record).seals[0]);
    const files = [record, keys, receipt].map((text) => Buffer.from(text));
    const missed = [];
    for (let number = 0; number < 500; number += 1) {
      const altered = Buffer.from(files[number % 3]);
      const place = next(altered.length);
      altered[place] = 32 + ((altered[place] - 32 + 1 + next(94)) % 95);
      const text = new TextDecoder().decode(altered);
      const found = number % 3 === 1 ? await problems(record, text) : await problems(text, keys);
      if (!found.length) missed.push([number, place]);
    }
    assert.deepEqual(missed, []);
  });
});
