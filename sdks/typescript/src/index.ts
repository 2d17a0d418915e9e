import { type Call, type ClientOptions, makeCaller, sleep } from "./core.js";
import { unwrap, verify } from "./webhooks.js";
import { UnexpectedStatusError, WaitTimeoutError } from "./errors.js";
import { DECIMALS, OPERATIONS, type PaymentIntent, type PaymentIntents, type Resources, VERSION } from "./generated.js";

export {
  APIConnectionError,
  APIError,
  AuthenticationError,
  CausewayError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnexpectedStatusError,
  WaitTimeoutError,
} from "./errors.js";
export { List, raw } from "./core.js";
export type { CallOptions, ClientOptions, Page } from "./core.js";
export { WebhookVerificationError } from "./webhooks.js";
export type { HeadersLike, RawBody, VerifyOptions } from "./webhooks.js";

/** Checks and reads what the service posts; alone, without the client, as `causeway-sdk/webhooks`. */
export const webhooks = { verify, unwrap };

export type * from "./generated.js";

/** When to stop waiting, and for how long to go on: `timeout` in milliseconds, five minutes by default. */
export interface WaitOptions {
  until?: readonly PaymentIntent["status"][] | ((intent: PaymentIntent) => boolean) | undefined;
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Statuses in which nothing more happens by itself. */
const ENDED = ["settled", "failed", "expired", "cancelled", "refunded"];
/** Seconds that the service is asked to wait for a change; fewer where a status is wanted that may change again. */
const LONG = 25;
const SHORT = 5;

export interface Causeway extends Resources {
  readonly paymentIntents: PaymentIntents & {
    /**
     * Returns the intent as soon as it has one of the statuses, by default one in which it ends.
     *
     * Throws UnexpectedStatusError when it ends in another one, and WaitTimeoutError when the time is over before.
     */
    wait(intentId: string, options?: WaitOptions): Promise<PaymentIntent>;
  };
}

/** The service's API with one key. It may be kept for as long as the program runs, and used by many at once. */
export class Causeway {
  constructor(options: ClientOptions = {}) {
    const call = makeCaller(options, DECIMALS, VERSION);
    const made = this as never as Record<string, Record<string, Call>>;
    for (const block of OPERATIONS.split("\n\n")) {
      const [[name, root], ...lines] = block.split("\n").map((line) => line.split(" ")) as [[string, string], ...string[][]];
      made[name] = {};
      for (const [method, verb, path, takes] of lines as [string, string, string, string?][])
        made[name][method] = call(verb, path.replace(".", root), takes);
    }
    this.paymentIntents.wait = (id, { until = ENDED, timeout = 300_000, signal } = {}) =>
      waited(
        (wait) => call("GET", "payment-intents/{}", "+")(id, { wait }, { signal }) as Promise<PaymentIntent>,
        until,
        timeout,
        signal,
      );
  }
}

async function waited(
  read: (wait: number) => Promise<PaymentIntent>,
  until: NonNullable<WaitOptions["until"]>,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<PaymentIntent> {
  const end = Date.now() + timeout;
  // The first look is not held: it may be as wanted already.
  for (let hold = 0; ; hold = until === ENDED ? LONG : SHORT) {
    const begun = Date.now();
    const left = Math.max(0, end - begun) / 1000;
    const wait = Math.min(hold, Math.floor(left));
    const intent = await read(wait);
    const { status } = intent;
    if (typeof until === "function" ? until(intent) : until.includes(status)) return intent;
    if (typeof until !== "function" && ENDED.includes(status)) throw new UnexpectedStatusError(`It is ${status}.`, intent);
    if (Date.now() >= end) throw new WaitTimeoutError(`It is ${status} after ${timeout} ms.`, intent);
    await sleep(Math.max(0, Math.min(hold && 1, left) - (Date.now() - begun) / 1000), signal); // a service that did not hold the call
  }
}
