/** For Node, Deno and Bun: the address and the key are arguments. */

import { story } from "./story.mjs";

const [, , baseUrl, apiKey] = globalThis.process.argv;
console.log(await story({ baseUrl, apiKey }));
