import assert from "node:assert/strict";
import { inspect } from "node:util";
import { describe, it } from "node:test";

import { answers, Causeway, client, KEY, sdk } from "./service.mjs";

const { APIConnectionError, APIError, CausewayError, InvalidRequestError, raw } = sdk;

describe("a call", () => {
  it("is written as the description says", async () => {
    const { causeway, asked } = client([{ id: "pi_1", status: "created" }]);
    const intent = await causeway.paymentIntents.create({ amount: "19.99", metadata: { order: 7 } }, { idempotencyKey: "k-1" });
    assert.deepEqual(intent, { id: "pi_1", status: "created" });
    assert.equal(asked.length, 1);
    const [{ url, method, headers, body }] = asked;
    assert.equal(`${method} ${url}`, "POST https://pay.example/api/public/v1/payment-intents");
    assert.equal(body, '{"amount":19.99,"metadata":{"order":7}}');
    assert.equal(headers.get("authorization"), `Bearer ${KEY}`);
    assert.equal(headers.get("idempotency-key"), "k-1");
    assert.equal(headers.get("content-type"), "application/json");
  });

  it("puts ids into the path and refuses what would lead elsewhere", async () => {
    const { causeway, asked } = client([{}, {}]);
    await causeway.refunds.get("a b?c");
    assert.equal(asked[0].url, "https://pay.example/api/public/v1/refunds/a%20b%3Fc");
    for (const id of ["", ".", "..", "a/cancel", undefined, null, 7]) await assert.rejects(async () => causeway.refunds.get(id), TypeError);
    assert.equal(asked.length, 1);
  });

  it("writes dates, nothing for what is left out, and objects by their keys into a query", async () => {
    const { causeway, asked } = client([{ data: [], has_more: false }]);
    const list = causeway.paymentIntents.list({ created_gte: new Date(0), status: undefined, metadata: { order: "7" }, limit: 5 });
    await list.first();
    assert.equal(
      decodeURIComponent(asked[0].url.split("?")[1]),
      "created_gte=1970-01-01T00:00:00.000Z&metadata[order]=7&limit=5",
    );
  });

  it("knows health, which is beside the version", async () => {
    const { causeway, asked } = client([{}]);
    await causeway.health.get();
    assert.equal(asked[0].url, "https://pay.example/api/public/health");
  });

  it("shows status and headers of an answer to whoever asks, and to nobody else", async () => {
    const { causeway } = client([new Response('{"id":"r"}', { status: 201, headers: { "Request-Id": "req_9" } })]);
    const refund = await causeway.refunds.create({ intent_id: "i", amount_usd: 1 });
    assert.equal(raw(refund).status, 201);
    assert.equal(raw(refund).headers.get("request-id"), "req_9");
    assert.equal(JSON.stringify(refund), '{"id":"r"}');
    assert.equal(raw({}), undefined);
  });
});

describe("money", () => {
  const taken = [["19.99", "19.99"], [19.99, "19.99"], ["0.07", "0.07"], [0.29, "0.29"], ["25.00", "25"], [25n, "25"], [1e6, "1000000"]];
  for (const [given, sent] of taken)
    it(`of ${typeof given} ${given} is sent as ${sent}`, async () => {
      const { causeway, asked } = client([{}]);
      await causeway.paymentIntents.create({ amount: given });
      assert.equal(asked[0].body, `{"amount":${sent}}`);
    });

  for (const given of [0.1 + 0.2, "0.123", "1e3", 1e21, -1, NaN, Infinity, "", " 1", "1,5", true, {}, "٣"])
    it(`refuses ${String(given)} before anything is sent`, async () => {
      const { causeway, asked } = client([{}]);
      await assert.rejects(causeway.paymentIntents.create({ amount: given }), { name: "TypeError", message: /^amount: / });
      assert.equal(asked.length, 0);
    });

  it("is sent exactly, for every price up to 100.00 and refunds of six decimals", async () => {
    for (let cents = 1; cents <= 10_000; cents++) {
      const text = `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
      for (const given of [text, cents / 100]) {
        const { causeway, asked } = client([{}]);
        await causeway.paymentIntents.create({ amount: given });
        assert.equal(Number(asked[0].body.slice(10, -1)).toFixed(2), text);
        assert.match(asked[0].body, /^\{"amount":\d+(\.\d{1,2})?\}$/);
      }
    }
    for (const text of ["0.000001", "999999999.999999", "1000000000", "0.1", "123456789.000001"]) {
      const { causeway, asked } = client([{}]);
      await causeway.refunds.create({ intent_id: "i", amount_usd: text });
      assert.equal(asked[0].body, `{"intent_id":"i","amount_usd":${text}}`);
    }
  });

  it("is text in answers, with two decimals or more, and the merchant's own numbers stay", async () => {
    const text = '{"amount_usd":1.5,"token_amount":"2","score":0.25,"metadata":{"tip_usd":3},"payers":[{"paid_usd":0},{"paid_usd":0.000001}]}';
    const { causeway } = client([new Response(text)]);
    assert.deepEqual(await causeway.refunds.get("r"), {
      amount_usd: "1.50", token_amount: "2", score: 0.25, metadata: { tip_usd: 3 },
      payers: [{ paid_usd: "0.00" }, { paid_usd: "0.000001" }],
    });
  });
});

describe("the key", () => {
  it("is nowhere to be seen", async () => {
    const { causeway } = client([new TypeError(`fetch failed`)], { maxRetries: 0 });
    const error = await causeway.payouts.get("p").catch((caught) => caught);
    assert.ok(error instanceof APIConnectionError);
    for (const seen of [inspect(causeway, { depth: 9, showHidden: true }), JSON.stringify(causeway), inspect(error, { depth: 9 }), error.stack])
      assert.ok(!seen.includes(KEY.slice(8)), seen);
  });

  it("with a line end is refused without being told", () => {
    assert.throws(() => new Causeway({ apiKey: `${KEY}\n`, baseUrl: "https://pay.example" }), (error) => {
      assert.ok(error instanceof CausewayError);
      return !inspect(error).includes(KEY.slice(8));
    });
  });

  it("and the address are asked for by name where they are missing", () => {
    assert.throws(() => new Causeway({ baseUrl: "https://pay.example" }), /apiKey.*CAUSEWAY_API_KEY/);
    assert.throws(() => new Causeway({ apiKey: "sk_live_1" }), /baseUrl.*CAUSEWAY_BASE_URL/);
  });

  it("of test mode belongs to the service of this machine where none is named", async () => {
    const { fetch, asked } = answers([{}]);
    await new Causeway({ apiKey: KEY, fetch }).account.get();
    assert.equal(asked[0].url, "http://localhost:8000/api/public/v1/account");
  });

  it("comes from the environment", async () => {
    Object.assign(process.env, { CAUSEWAY_API_KEY: KEY, CAUSEWAY_BASE_URL: "https://pay.example/" });
    try {
      const { fetch, asked } = answers([{}]);
      await new Causeway({ fetch }).payouts.get("p");
      assert.equal(asked[0].url, "https://pay.example/api/public/v1/payouts/p");
    } finally {
      delete process.env["CAUSEWAY_API_KEY"];
      delete process.env["CAUSEWAY_BASE_URL"];
    }
  });

  it("of a server is refused in a browser; a publishable one is not", () => {
    globalThis.document = {};
    try {
      for (const apiKey of ["sk_test_1", "sk_live_1", "rk_test_1"])
        assert.throws(() => new Causeway({ apiKey, baseUrl: "https://pay.example" }), /browser/);
      assert.ok(new Causeway({ apiKey: "pk_test_1", baseUrl: "https://pay.example" }));
    } finally {
      delete globalThis.document;
    }
  });

  it("of live mode under CI is warned of, without the key", (test) => {
    const warn = test.mock.method(console, "warn", () => undefined);
    const before = process.env["CI"];
    process.env["CI"] = "1";
    try {
      new Causeway({ apiKey: "sk_live_abcdef", baseUrl: "https://pay.example" });
      new Causeway({ apiKey: "sk_test_abcdef", baseUrl: "https://pay.example" });
    } finally {
      if (before === undefined) delete process.env["CI"];
      else process.env["CI"] = before;
    }
    assert.equal(warn.mock.callCount(), 1);
    assert.ok(!String(warn.mock.calls[0].arguments).includes("abcdef"));
  });
});

describe("errors", () => {
  const BODY = { error: "No.", code: "intent_not_cancellable", details: { status: "settled" }, request_id: "req_1", doc_url: "https://pay.example/docs/errors#x" };
  const NAMES = {
    400: "InvalidRequestError", 401: "AuthenticationError", 403: "PermissionDeniedError", 404: "NotFoundError",
    408: "InvalidRequestError", 409: "ConflictError", 413: "InvalidRequestError", 415: "InvalidRequestError", 422: "InvalidRequestError",
    429: "RateLimitError", 500: "ServerError", 502: "ServerError", 503: "ServerError", 501: "ServerError",
  };
  for (const [status, name] of Object.entries(NAMES))
    it(`${status} is ${name}`, async () => {
      const { causeway } = client([[Number(status), BODY]], { maxRetries: 0 });
      const error = await causeway.paymentIntents.cancel("i").catch((caught) => caught);
      assert.equal(error.name, name);
      assert.ok(error instanceof sdk[name] && error instanceof APIError && error instanceof CausewayError && error instanceof Error);
      assert.equal(error.message, "No.");
      const { code, details, requestId, docUrl } = error;
      assert.deepEqual({ code, details, requestId, docUrl, status: error.status }, {
        code: BODY.code, details: BODY.details, requestId: "req_1", docUrl: BODY.doc_url, status: Number(status),
      });
      assert.equal(error.retryable, [408, 429, 500, 502, 503, 504].includes(Number(status)));
    });

  for (const text of ["<html>", "", "[]", "null", '"x"', '{"error":7,"code":null,"details":3}'])
    it(`a refusal that is not ours, ${text}, is an error like any other`, async () => {
      const { causeway } = client([new Response(text, { status: 400, headers: { "Request-Id": "req_2" } })]);
      const error = await causeway.payouts.get("p").catch((caught) => caught);
      assert.ok(error instanceof InvalidRequestError);
      assert.equal(error.message, "The service answered 400.");
      assert.equal(error.code, "unexpected_answer");
      assert.equal(typeof error.details, "object");
      assert.equal(error.requestId, "req_2");
      assert.equal(raw(error).status, 400);
    });

  it("a redirect is not followed: the key would go along", async () => {
    const { causeway, asked } = client([new Response("", { status: 302, headers: { Location: "https://other.example/" } })]);
    const error = await causeway.payouts.get("p").catch((caught) => caught);
    assert.equal(error.name, "APIError");
    assert.equal(asked.length, 1);
    assert.equal(asked[0].redirect, "manual");
  });
});
