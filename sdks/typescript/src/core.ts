import { environment } from "./environment.js";
import { APIConnectionError, type APIError, CausewayError, errorOf } from "./errors.js";
import { exactNumber, moneyAsText } from "./money.js";

/** What a client is made with; what is left out comes from `CAUSEWAY_API_KEY` and `CAUSEWAY_BASE_URL`. */
export interface ClientOptions {
  apiKey?: string | undefined;
  /** Where the service is, without a path: `https://pay.example`. */
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
}

/** Sends one method's call: ids of the path, then parameters where it takes any, then options. */
export type Call = (...given: unknown[]) => unknown;

type Params = Record<string, unknown>;
const LONGEST_WAIT = 60;

/** Returns the caller of operations such as `POST refunds/{}/cancel`. The key stays inside. */
export function makeCaller(given: ClientOptions, decimals: Record<string, number>, version: string) {
  const { timeout = 30_000, maxRetries = 2 } = given;
  const key = given.apiKey ?? environment("CAUSEWAY_API_KEY");
  const base = given.baseUrl ?? environment("CAUSEWAY_BASE_URL");
  if (!key) throw new CausewayError("No API key: pass apiKey, or set CAUSEWAY_API_KEY.");
  if (!/^[!-~]+$/.test(key)) throw new CausewayError("The API key has a character that no key has.");
  if (!base) throw new CausewayError("No address of the service: pass baseUrl, or set CAUSEWAY_BASE_URL.");
  if ("document" in globalThis && !key.startsWith("pk_"))
    throw new CausewayError("A secret key does not belong in a browser.");
  if (key.startsWith("sk_live_") && environment("CI")) console.warn("Causeway: a live key is used under CI.");

  function plan(verb: string, path: string, params: Params | undefined, options: CallOptions): Plan {
    const url = new URL(path, base!.replace(/\/*$/, "/api/public/v1/"));
    const headers = new Headers({ authorization: `Bearer ${key}`, "user-agent": `causeway-sdk-typescript/${version}` });
    const init: RequestInit = { method: verb, headers, redirect: "manual" };
    if (verb === "POST") headers.set("idempotency-key", options.idempotencyKey ?? crypto.randomUUID());
    if (verb === "GET" || verb === "DELETE") query(url.searchParams, params ?? {});
    else {
      headers.set("content-type", "application/json");
      init.body = JSON.stringify(params ?? {}, function (this: unknown, name, value) {
        const places = this === params && value != null ? decimals[name] : undefined;
        return places ? exactNumber(name, value, places) : value;
      });
    }
    return { url: url.href, init, options };
  }

  async function once({ url, init, options }: Plan): Promise<unknown> {
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
      throw new APIConnectionError(`No whole answer from ${new URL(url).host}.`, { cause });
    }
    const error = errorOf(response, text);
    raws.set(error, response);
    throw error;
  }

  async function send(write: () => Plan): Promise<unknown> {
    const made = write();
    const { signal, maxRetries: most = maxRetries } = made.options;
    for (let tries = 0; ; tries++) {
      try {
        return await once(made);
      } catch (error) {
        const wait = secondsToWait(raw(error as object)?.headers.get("retry-after"), tries);
        if (!(error as APIError).retryable || tries >= most || wait > LONGEST_WAIT) throw error;
        await sleep(wait, signal);
      }
    }
  }

  return function call(operation: string): Call {
    const [verb, template, takes] = operation.split(" ") as [string, string, string?];
    return (...given) => {
      const ids = template.split("{}").length - 1;
      const params = takes ? (given[ids] as Params | undefined) : undefined;
      const options = (given[ids + (takes ? 1 : 0)] ?? {}) as CallOptions;
      const written = (method: string, more?: Params) =>
        send(() => {
          let at = 0;
          return plan(method, template.replace(/{}/g, () => pathPart(given[at++])), more ?? params, options);
        });
      if (verb !== "LIST") return written(verb);
      const cursorName = params && "ending_before" in params ? "ending_before" : takes!;
      return new List(
        (cursor) => written("GET", cursor ? { ...params, [cursorName]: cursor } : params) as Promise<Page<unknown>>,
      );
    };
  };
}

/** Refuses what would lead to another path: nothing, or dots. */
function pathPart(id: unknown): string {
  if (typeof id !== "string" || !/[^.]/.test(id)) throw new TypeError(`An id is text such as "pi_…", not ${String(id)}.`);
  return encodeURIComponent(id);
}

function query(into: URLSearchParams, params: Params, prefix?: string): void {
  for (const [name, value] of Object.entries(params)) {
    const written = prefix ? `${prefix}[${name}]` : name;
    if (value == null) continue;
    if (value instanceof Date) into.set(written, value.toISOString());
    else if (typeof value === "object" && !Array.isArray(value)) query(into, value as Params, written);
    else into.set(written, String(value));
  }
}

/** As long as the service asks for; else half a second, doubled each time, less up to a half by chance. */
function secondsToWait(asked: string | null | undefined, tries: number): number {
  const said = asked ? Number(asked) || (Date.parse(asked) - Date.now()) / 1000 : 0;
  return Math.max(said || 0, Math.min(0.5 * 2 ** tries, 8) * (1 - Math.random() / 2));
}

/** Waits so many seconds; rejects with the signal's reason as soon as it is aborted. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
