// A server with one receiver of the SDK: node certified.mjs NAME PORT. The secret is CAUSEWAY_WEBHOOK_SECRET, as in a shop.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";

import { load } from "./service.mjs";

const [name, port] = process.argv.slice(2);
const tools = createRequire(process.env["TOOLS"]);
const receiverOf = async (framework) => (await load(`${framework}.js`)).webhooks(async () => {});

/** What a server of Request and Response does for its handlers. */
const byFetch = (answer) => async (request, response) => {
  const { method, headers } = request;
  const asked = new Request(`http://${headers.host}/`, { method, headers, body: Readable.toWeb(request), duplex: "half" });
  const { status } = await answer(asked);
  response.writeHead(status).end();
};

const servers = {
  node: () => receiverOf("express"),
  express: async () => tools("express")().post("/", await receiverOf("express")),
  "express after express.raw": async () => {
    const express = tools("express");
    return express().post("/", express.raw({ type: "application/json" }), await receiverOf("express"));
  },
  hono: async () => {
    const { Hono } = tools("hono");
    const app = new Hono().post("/", await receiverOf("hono"));
    return byFetch((request) => app.fetch(request));
  },
  next: async () => byFetch(await receiverOf("next")),
};
createServer(await servers[name]()).listen(Number(port), "127.0.0.1", () => console.log("The receiver is open"));
