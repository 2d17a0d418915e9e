/** Reads requests, one JSON a line, and prints the verdict on each: a reason, or null for what is genuine. */

import { createInterface } from "node:readline";

const { verify } = await import(new URL("webhooks.js", process.env["SDK"]).href);

for await (const line of createInterface({ input: process.stdin })) {
  const { header, body, secrets, now } = JSON.parse(line);
  const said = await verify(body, { "Svc-Signature": header }, secrets, { now }).then(() => null, (error) => error.reason ?? `crash: ${error}`);
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
