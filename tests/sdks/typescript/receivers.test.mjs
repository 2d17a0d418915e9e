import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";

import { load } from "./service.mjs";

const tools = createRequire(process.env["TOOLS"]);
const express = tools("express");
const { Hono } = tools("hono");
const { sign } = await load("testing.js");
const receivers = Object.fromEntries(await Promise.all(["express", "hono", "next"].map(async (name) => [name, (await load(`${name}.js`)).webhooks])));

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7f0c1d2e3f4A";
const BODY = '{"id":"evt_1","type":"ping","data":{}}';
/** @type {any[]} */
let got = [];
const handler = async (event) => {
  if (event.id === "evt_bad") throw new Error("not now");
  got.push(event.id);
};

/** Each way asks a server with a body and headers, and gives the status. */
const ways = {
  next: async (body, headers) => (await receivers.next(handler, SECRET)(new Request("http://x/", { method: "POST", body, headers }))).status,
  hono: async (body, headers) => {
    const app = new Hono();
    app.post("/", receivers.hono(handler, [SECRET]));
    app.onError((error, context) => context.text("failed", 500));
    return (await app.request("/", { method: "POST", body, headers })).status;
  },
};

const listening = [];
function serve(name, application) {
  before(async () => {
    const server = createServer(application);
    await new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(undefined)));
    listening.push(server);
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    ways[name] = async (body, headers) => (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers })).status;
  });
}
const fail = (error, request, response, next) => response.status(500).end();
const bare = express();
bare.post("/", receivers.express(handler, SECRET));
bare.use(fail);
const raw = express();
raw.post("/", express.raw({ type: "*/*" }), receivers.express(handler, SECRET));
raw.use(fail);
serve("express", bare);
serve("express.raw", raw);
serve("node", (request, response) => receivers.express(handler, SECRET)(request, response));
after(() => listening.forEach((server) => server.close()));

describe("a receiver", () => {
  for (const name of ["next", "hono", "express", "express.raw", "node"]) {
    it(`of ${name} hands a genuine event on and answers 204`, async () => {
      got = [];
      assert.equal(await ways[name](BODY, await sign(BODY, SECRET)), 204);
      assert.deepEqual(got, ["evt_1"]);
    });

    it(`of ${name} answers 401 to what is not, and hands nothing on`, async () => {
      got = [];
      const headers = await sign(BODY, SECRET);
      assert.equal(await ways[name](BODY + " ", headers), 401);
      assert.equal(await ways[name](BODY, { "content-type": "application/json" }), 401);
      assert.equal(await ways[name](BODY, { ...headers, "Svc-Signature": "t=\u00b2,v1=\u00e9" }), 401);
      assert.deepEqual(got, []);
    });

    it(`of ${name} lets what the handler throws be answered 500`, async () => {
      const body = BODY.replace("evt_1", "evt_bad");
      const status = await ways[name](body, await sign(body, SECRET)).catch((error) => error.message);
      assert.ok(status === 500 || status === "not now", String(status));
    });
  }

  it("of Express says that the body was parsed before", async () => {
    const request = { headers: await sign(BODY, SECRET), body: JSON.parse(BODY) };
    let error;
    await receivers.express(handler, SECRET)(request, { statusCode: 0, end() {} }, (caught) => { error = caught; });
    assert.ok(error instanceof TypeError);
  });

  it("of Express refuses a body that is longer than any event", async () => {
    const request = { headers: {}, async *[Symbol.asyncIterator]() { for (let part = 0; part < 3; part++) yield new Uint8Array(1 << 19); } };
    const response = { statusCode: 0, ended: 0, end() { response.ended += 1; } };
    await receivers.express(handler, SECRET)(request, response);
    assert.deepEqual([response.statusCode, response.ended], [413, 1]);
  });

  it("takes the secret from the environment, and refuses all without one", async () => {
    const headers = await sign(BODY, SECRET);
    const ask = () => receivers.next(handler)(new Request("http://x/", { method: "POST", body: BODY, headers }));
    assert.equal((await ask()).status, 401);
    process.env["CAUSEWAY_WEBHOOK_SECRET"] = SECRET;
    assert.equal((await ask()).status, 204);
    delete process.env["CAUSEWAY_WEBHOOK_SECRET"];
  });
});
