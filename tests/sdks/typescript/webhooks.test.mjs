import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { load } from "./service.mjs";

const { unwrap, verify, WebhookVerificationError } = await load("webhooks.js");
const { sign } = await load("testing.js");

/** The vector of docs/guides/webhooks.md. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7f0c1d2e3f4A";
const BODY = '{"id":"evt_0123456789abcdef0123456789abcdef","type":"ping"}';
const V1 = "467df46116dfbd0c73d8bc06f3a8a279256c1828f748ffaa37a5f79bc4e2a358";
const NOW = 1700000000;
const HEADER = `t=${NOW},v1=${V1}`;
const judged = (header, { body = BODY, secrets = SECRET, now = NOW, name = "Svc-Signature" } = {}) =>
  verify(body, header === undefined ? {} : { [name]: header }, secrets, { now }).then(() => "genuine", (error) => error.reason ?? error.name);

describe("a request is judged", () => {
  const VERDICTS = [
    [HEADER, {}, "genuine"],
    [` \u0085t=${NOW} ,\tv1=${V1}\u001f`, {}, "genuine"],
    [`t=${NOW},v1=00,v1=${V1},v0=x`, {}, "genuine"],
    [HEADER, { secrets: ["whsec_other", SECRET] }, "genuine"],
    [HEADER, { now: NOW + 300 }, "genuine"],
    [HEADER, { now: NOW - 300 }, "genuine"],
    [[`t=${NOW}`, `v1=${V1}`], {}, "genuine"],
    [HEADER, { name: "SVC-SIGNATURE" }, "genuine"],
    [undefined, {}, "header_missing"],
    ["", {}, "header_missing"],
    [" \t", {}, "header_missing"],
    [HEADER, { name: "Other" }, "header_missing"],
    [HEADER, { secrets: "" }, "secret_empty"],
    [HEADER, { secrets: [] }, "secret_empty"],
    [HEADER, { secrets: [SECRET, " "] }, "secret_empty"],
    [`${HEADER},`, {}, "header_malformed"],
    [`${HEADER},v1`, {}, "header_malformed"],
    [`t=²,v1=${V1}`, {}, "header_malformed"],
    [`t=1.7e9,v1=${V1}`, {}, "header_malformed"],
    [`t=-${NOW},v1=${V1}`, {}, "header_malformed"],
    [`t=,v1=${V1}`, {}, "header_malformed"],
    [`${HEADER},v1=${"0".repeat(4096)}`, {}, "header_malformed"],
    [`v1=${V1}`, {}, "timestamp_missing"],
    [`T=${NOW},v1=${V1}`, {}, "timestamp_missing"],
    [`\ufefft=${NOW},v1=${V1}`, {}, "timestamp_missing"],
    [`t=${NOW},t=${NOW},v1=${V1}`, {}, "timestamp_repeated"],
    [`t=${NOW}`, {}, "signature_missing"],
    [`t=${NOW},v1=${V1.toUpperCase()}`, {}, "signature_mismatch"],
    [`t=${NOW},v1=é`, {}, "signature_mismatch"],
    [`t=${NOW},v1=`, {}, "signature_mismatch"],
    [`t=${NOW},v1=${V1.slice(1)}`, {}, "signature_mismatch"],
    [`t=${NOW + 1},v1=${V1}`, {}, "signature_mismatch"],
    [HEADER, { body: `${BODY} ` }, "signature_mismatch"],
    [HEADER, { secrets: "whsec_other" }, "signature_mismatch"],
    [HEADER, { now: NOW + 301 }, "timestamp_outside_tolerance"],
    [HEADER, { now: NOW - 301 }, "timestamp_outside_tolerance"],
    [HEADER, { now: NaN }, "timestamp_outside_tolerance"],
  ];
  for (const [header, given, verdict] of VERDICTS)
    it(`${JSON.stringify(header)?.slice(0, 60)} ${JSON.stringify(given).slice(0, 60)}: ${verdict}`, async () =>
      assert.equal(await judged(header, given), verdict));

  it("as text, bytes, a Buffer or an ArrayBuffer alike, with headers of either kind", async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer])
      for (const headers of [new Headers({ "Svc-Signature": HEADER }), { "svc-signature": HEADER, "x-none": undefined }])
        await verify(body, headers, SECRET, { now: NOW });
  });

  it("not at all where the body was parsed, and says so", async () => {
    for (const body of [JSON.parse(BODY), [], null, undefined, 7])
      await assert.rejects(verify(body, { "Svc-Signature": HEADER }, SECRET, { now: NOW }), { name: "TypeError", message: /raw body/ });
  });
});

describe("unwrap", () => {
  it("gives the event as it came, with dollars as text and unknown keys kept", async () => {
    const sent = { id: "evt_1", type: "refund.paid", data: { amount_usd: 1.5, metadata: { tip_usd: 2 } }, brand_new: [1] };
    const body = JSON.stringify(sent);
    assert.deepEqual(await unwrap(body, await sign(body, SECRET), SECRET), {
      ...sent, data: { amount_usd: "1.50", metadata: { tip_usd: 2 } },
    });
  });

  it("gives what it does not know", async () => {
    const body = '{"type":"moon.landed","data":{"é":"€"}}';
    const event = await unwrap(new TextEncoder().encode(body), await sign(body, SECRET), SECRET);
    assert.deepEqual(event, JSON.parse(body));
  });

  it("throws what says why, and shows neither secret nor body", async () => {
    const error = await unwrap(BODY, { "Svc-Signature": HEADER }, "whsec_other", { now: NOW }).catch((caught) => caught);
    assert.ok(error instanceof WebhookVerificationError);
    assert.deepEqual([error.name, error.reason], ["WebhookVerificationError", "signature_mismatch"]);
    assert.ok(!String(error.stack).includes("whsec_"));
  });
});

describe("sign", () => {
  it("signs as the service does", async () => {
    const headers = await sign(BODY, SECRET, { timestamp: NOW, deliveryId: "d", attempt: 3 });
    assert.deepEqual(headers, {
      "Content-Type": "application/json", "Svc-Signature": HEADER, "Svc-Event-Id": "evt_0123456789abcdef0123456789abcdef",
      "Svc-Event-Type": "ping", "Svc-Delivery-Id": "d", "Svc-Attempt": "3",
    });
  });

  it("signs with several secrets, and what is no event", async () => {
    const headers = await sign("no event", ["whsec_a", SECRET]);
    assert.equal(headers["Svc-Signature"].split("v1=").length, 3);
    await verify("no event", headers, SECRET);
  });
});
