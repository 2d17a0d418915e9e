// The official TypeScript SDK as an agent: sign-in with consent, reading, step-up to payouts, a payout, a revocation.
// Says what a person has to do in lines of JSON, and reports at the end, as python_client.py does.
// Usage: node typescript_client.mjs <folder of node_modules> <server url> <auto|legacy> <payment intent id> <its own name>

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [folder, url, mode, intent, name] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = createRequire(`${folder}/`)(
  "@modelcontextprotocol/client",
);

const say = (event, facts = {}) => process.stdout.write(`${JSON.stringify({ event, ...facts })}\n`);
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const callbacks = [];
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  if (pathname === "/callback") callbacks.push(searchParams);
  response.writeHead(200, { "Content-Type": "text/html", Connection: "close" });
  response.end("<!doctype html><html lang=en><link rel=icon href=data:,><title>Done</title><p>You can close this page.");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const redirectUrl = `http://127.0.0.1:${server.address().port}/callback`;

const kept = { scopes: [] };
let nobodyIsThere = false;
const provider = {
  redirectUrl,
  clientMetadata: {
    client_name: name,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => "a-state-of-its-own",
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens(tokens) {
    kept.tokens = tokens;
    kept.scopes.push(tokens.scope);
  },
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (state) => void (kept.discovery = state),
  discoveryState: () => kept.discovery,
  invalidateCredentials(what) {
    if (what === "tokens" || what === "all") kept.tokens = undefined;
  },
  async redirectToAuthorization(address) {
    if (nobodyIsThere) return;
    say("open", { url: String(address) });
    await answers.next();
  },
};

const wire = [];
async function noted(input, init) {
  const response = await fetch(input, init);
  const { pathname } = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
  const line = `${init?.method ?? "GET"} ${pathname} ${response.status}`;
  if (wire.at(-1) !== line) wire.push(line);
  return response;
}

const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider, fetch: noted });

/** Do something; when the SDK wants consent first, take the code that the browser brought, and do it once more. */
async function consenting(current, action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || nobodyIsThere) throw error;
    await current().finishAuth(callbacks.at(-1));
    return await action();
  }
}

async function call(client, tool, facts) {
  const result = await client.callTool({ name: tool, arguments: facts });
  if (result.isError) throw new Error(result.content[0].text);
  if (JSON.stringify(JSON.parse(result.content[0].text)) !== JSON.stringify(result.structuredContent)) {
    throw new Error("the text and the structured content differ");
  }
  return result.structuredContent;
}

async function until(client, tool, facts, isReady) {
  for (;;) {
    const answer = await call(client, tool, facts);
    if (isReady(answer)) return answer;
    await sleep(300);
  }
}

let client, current;
async function connect() {
  client = new Client({ name: "acceptance", version: "1" }, { versionNegotiation: { mode } });
  current = transport();
  await client.connect(current);
}
await consenting(() => current, connect);

const about = { payment_intent_id: intent };
const { tools } = await client.listTools();
const tokens = await call(client, "list_tokens", { limit: 1 });
const settled = await until(client, "poll_settlement", about, (answer) => answer.terminal);
const paying = { ...about, idempotency_key: `payout-${intent}` };
const payout = await consenting(() => current, () => call(client, "create_payout", paying));
const payoutOf = (answer) => (answer.payouts.data ?? answer.payouts)[0];
const following = { ...about, include: ["payouts"] };
const followed = await until(client, "get_payment_intent", following, (answer) => payoutOf(answer).status === "paid");

const report = {
  protocol_version: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion()?.name,
  tools: tools.map((tool) => tool.name),
  tokens_listed: tokens.data.length,
  settlement: settled.status,
  payout,
  payout_status: payoutOf(followed).status,
  scopes: kept.scopes,
  wire: [...wire],
};

const metadata = await (await fetch(new URL("/.well-known/oauth-authorization-server", url))).json();
const form = new URLSearchParams({ token: kept.tokens.refresh_token, client_id: kept.client.client_id });
report.given_back = (await fetch(metadata.revocation_endpoint, { method: "POST", body: form })).status;
nobodyIsThere = true;
wire.length = 0;
report.refused_as = await call(client, "poll_settlement", about).then(
  () => "",
  (error) => error.constructor.name,
);
report.wire_after_revocation = [...wire];
say("report", report);
process.exit(0);
