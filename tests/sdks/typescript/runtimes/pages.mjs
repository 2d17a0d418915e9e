/** Reads a long list to its end while rows are added, and prints the ids that came. */

import { Causeway } from "causeway-sdk";

const [, , baseUrl, apiKey, mark] = globalThis.process.argv;
const causeway = new Causeway({ baseUrl, apiKey, maxRetries: 5 });
const ids = [];
for await (const { id } of causeway.paymentIntents.list({ reference: mark, limit: 100 })) {
  if (ids.push(id) % 100 === 1) await causeway.paymentIntents.create({ amount: "1.00", reference: mark });
}
console.log(JSON.stringify(ids));
