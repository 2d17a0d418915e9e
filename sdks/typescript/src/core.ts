import { environment } from "./environment.js";
import { APIConnectionError, type APIError, CausewayError, errorOf } from "./errors.js";
import { exactNumber, moneyAsText } from "./money.js";

/** What a client is made with; what is left out comes from `CAUSEWAY_API_KEY` and `CAUSEWAY_BASE_URL`. */
export interface ClientOptions {
  apiKey?: string | undefined;
  /** Where the service is, without a path: `https://pay.example`. With a test key http://localhost:8000 by default. */
  baseUrl?: string | undefined;
  /** Of one try, in milliseconds; 30 seconds by default. */
  timeout?: number | undefined;
  /** How often a call is tried again; 2 by default. */
  maxRetries?: number | undefined;
  fetch?: typeof fetch | undefined;
}

/** What one call may have of its own. */
export interface CallOptions {
  /** One for each thing that you want to happen. Without one the SDK makes one for each call, and keeps it in retries. */
  idempotencyKey?: string | undefined;
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** One page of a list, as it came. */
export interface Page<Item> {
  data: Item[];
  has_more?: boolean;
  next_cursor?: string | null;
}

const raws = new WeakMap<object, Response>();

/** The HTTP answer, for its status and headers, of what a method returned or of the APIError that it threw. */
export const raw = (answer: object): Response | undefined => raws.get(answer);

/** All rows of a list. Nothing is asked until it is read; each reading begins at the start. */
export class List<Item, Envelope extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | null) => Promise<Envelope>;

  constructor(read: (cursor: string | null) => Promise<Envelope>) {
    this.#read = read;
  }

  /** Page by page. An empty page is no end; a cursor that came before is one. */
  async *pages(): AsyncGenerator<Envelope, void, undefined> {
    const seen = new Set<string>();
    for (let cursor: string | null = null; ; ) {
      const page: Envelope = await this.#read(cursor);
      yield page;
      cursor = page.next_cursor ?? null;
      if (!page.has_more || cursor === null || seen.has(cursor)) return;
      seen.add(cursor);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** The first row, or undefined where there is none. */
  async first(): Promise<Item | undefined> {
    for await (const item of this) return item;
    return undefined;
  }
}

/** A call that was written out once; each try sends exactly this. */
interface Plan {
  url: string;
  init: RequestInit;
  options: CallOptions;
  key: string | null;
}

/** Sends one method's call: ids of the path, then parameters where it takes any, then options. */
export type Call = (...given: unknown[]) => unknown;

type Params = Record<string, unknown>;
/** Seconds, with what chance adds. A service that asks for more is not waited for. */
const LONGEST_WAIT = 60.25;

/** Returns what makes methods from lines such as `POST refunds/{}/cancel`. The key stays inside. */
export function makeCaller(given: ClientOptions, decimals: Record<string, number>, version: string) {
  const { timeout = 30_000, maxRetries = 2 } = given;
  const key = given.apiKey ?? environment("CAUSEWAY_API_KEY");
  const isLive = /^.k_live_/.test(key ?? "");
  const base = given.baseUrl ?? environment("CAUSEWAY_BASE_URL") ?? (isLive ? "" : "http://localhost:8000");
  if (!key) throw new CausewayError("No key: pass apiKey, or set CAUSEWAY_API_KEY.");
  if (!/^[!-~]+$/.test(key)) throw new CausewayError("The key has characters that no key has.");
  if (!base) throw new CausewayError("No address: pass baseUrl, or set CAUSEWAY_BASE_URL.");
  if ("document" in globalThis && !key.startsWith("pk_"))
    throw new CausewayError("No secret key belongs in a browser.");
  if (isLive && environment("CI")) console.warn("A live key is used in CI.");

  function plan(verb: string, path: string, params: Params, options: CallOptions): Plan {
    const url = new URL(path, base.replace(/\/*$/, "/api/public/v1/"));
    const headers = new Headers({ authorization: `Bearer ${key}`, "user-agent": `causeway-ts/${version}` });
    const init: RequestInit = { method: verb, headers, redirect: "manual" };
    if (verb === "POST") headers.set("idempotency-key", options.idempotencyKey ?? crypto.randomUUID());
    if (verb[0] === "P") {
      const body = { ...params };
      for (const name in decimals) if (body[name] != null) body[name] = exactNumber(name, body[name], decimals[name]!);
      headers.set("content-type", "application/json");
      init.body = JSON.stringify(body);
    } else query(url.searchParams, params);
    return { url: url.href, init, options, key: headers.get("idempotency-key") };
  }

  async function once({ url, init, options, key }: Plan): Promise<unknown> {
    const signals = [AbortSignal.timeout(options.timeout ?? timeout), options.signal].filter((one) => !!one);
    let response: Response, text: string;
    try {
      response = await (given.fetch ?? fetch)(url, { ...init, signal: AbortSignal.any(signals) });
      text = await response.text();
      if (response.ok) {
        const answer = moneyAsText(JSON.parse(text));
        raws.set(answer, response);
        return answer;
      }
    } catch (cause) {
      options.signal?.throwIfAborted();
      throw new APIConnectionError(`No whole answer from ${new URL(url).host}.`, key, cause);
    }
    const error = errorOf(response, text);
    raws.set(error, response);
    throw error;
  }

  async function send(made: Plan): Promise<unknown> {
    const { signal, maxRetries: most = maxRetries } = made.options;
    for (let tries = 0; ; tries++) {
      try {
        return await once(made);
      } catch (error) {
        const wait = secondsToWait(raw(error as object)?.headers.get("retry-after"), tries);
        if (!((error as APIError).retryable && tries < most && wait <= LONGEST_WAIT)) throw error;
        await sleep(wait, signal);
      }
    }
  }

  return function call(verb: string, template: string, takes?: string): Call {
    const read = (given: unknown[]) =>
      [
        template.replace(/{}/g, () => pathPart(given.shift())),
        (takes && given.shift()) || {},
        given.shift() ?? {},
      ] as [path: string, params: Params, options: CallOptions];
    if (verb !== "LIST") return async (...given) => send(plan(verb, ...read(given)));
    return (...given) => {
      const [path, params, options] = read(given);
      const name = "ending_before" in params ? "ending_before" : takes!;
      return new List(
        (cursor) => send(plan("GET", path, cursor ? { ...params, [name]: cursor } : params, options)) as Promise<Page<unknown>>,
      );
    };
  };
}

/** Refuses what would lead to another path: nothing, dots, or a slash, which a server reads out of its escape. */
function pathPart(id: unknown): string {
  if (typeof id !== "string" || !/^[^/]*[^./][^/]*$/.test(id)) throw new TypeError(`${String(id)} is no id.`);
  return encodeURIComponent(id);
}

/** Writes `limit=5`, and `metadata[order]=7` of an object. */
function query(into: URLSearchParams, params: Params, written = (name: string) => name): void {
  for (const [name, value] of Object.entries(params))
    if (value instanceof Date) into.set(written(name), value.toISOString());
    else if (Object(value) === value && !Array.isArray(value)) query(into, value as Params, (inner) => `${name}[${inner}]`);
    else if (value != null) into.set(written(name), String(value));
}

/** What the service asks for and up to a quarter more; else half a second, doubled each time, less up to a half of it. */
function secondsToWait(asked: string | null | undefined, tries: number): number {
  const said = /^\d+$/.test(asked ?? "") ? Number(asked) : (Date.parse(asked ?? "") - Date.now()) / 1000;
  return said > -Infinity ? Math.max(said, 0) + Math.random() / 4 : Math.min(2 ** tries / 2, 8) * (1 - Math.random() / 2);
}

/** Waits so many seconds; rejects with the signal's reason as soon as it is aborted. */
export async function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
