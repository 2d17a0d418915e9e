/** Runs a worker's bundle in workerd: the bundle, the address, the key. */

import { createRequire } from "node:module";

const { Miniflare } = createRequire(process.env["TOOLS"])("miniflare");
const [, , scriptPath, baseUrl, apiKey] = process.argv;
const worker = new Miniflare({ modules: true, scriptPath, bindings: { baseUrl, apiKey }, compatibilityDate: "2026-06-01" });
const answer = await worker.dispatchFetch("http://worker/");
console.log(await answer.text());
await worker.dispose();
process.exitCode = answer.ok ? 0 : 1;
