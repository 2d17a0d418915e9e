import type { Event } from "./generated.js";
import { type RawBody, signature } from "./hmac.js";
import { moneyAsText } from "./money.js";

export type { RawBody } from "./hmac.js";
/** Headers in any of the forms that servers have them. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>;
/** `tolerance`: seconds that the sender's clock may be away. `now`: our clock, in seconds since 1970. */
export interface VerifyOptions {
  tolerance?: number;
  now?: number;
}

/** Why a request must not be trusted. */
export type Reason =
  | "secret_empty"
  | "header_missing"
  | "header_malformed"
  | "timestamp_missing"
  | "timestamp_repeated"
  | "signature_missing"
  | "signature_mismatch"
  | "timestamp_outside_tolerance";

/** The request is not from the service, or not as it was sent: answer 401. `reason` is one stable word. */
export class WebhookVerificationError extends Error {
  override name = "WebhookVerificationError";
  declare readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

const LONGEST_HEADER = 4096;
/** What Python, in which the service is written, calls white space. */
const AROUND = /^[\p{White_Space}\x1c-\x1f]+|[\p{White_Space}\x1c-\x1f]+$/gu;

/**
 * Checks `Svc-Signature`; `secrets` is one or, while a secret is rotated, several.
 *
 * Throws WebhookVerificationError when the request is not genuine, and TypeError for a body that was parsed.
 */
export async function verify(
  raw: RawBody,
  headers: HeadersLike,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() / 1000 }: VerifyOptions = {},
): Promise<void> {
  const check = (held: unknown, reason: Reason) => {
    if (!held) throw new WebhookVerificationError(reason);
  };
  const known = [secrets].flat();
  check(known[0] && known.every((secret) => secret.trim()), "secret_empty");
  let header = "";
  for (const [name, value] of headers.entries instanceof Function ? headers.entries() : Object.entries(headers))
    if (/^svc-signature$/i.test(name)) header = `${value ?? ""}`;
  check(header.replace(AROUND, ""), "header_missing");
  const parts = header.split(",").map((part) => part.replace(AROUND, ""));
  const valuesOf = (name: string) => parts.flatMap((part) => (part.startsWith(name) ? [part.slice(name.length)] : []));
  check(header.length <= LONGEST_HEADER && parts.every((part) => /=/.test(part)), "header_malformed");
  const times = valuesOf("t=");
  const time = times[0]!;
  const given = valuesOf("v1=");
  check(times.length, "timestamp_missing");
  check(times.length < 2, "timestamp_repeated");
  check(/^[0-9]{1,12}$/.test(time), "header_malformed");
  check(given.length, "signature_missing");
  let matches = 0;
  for (const secret of known) {
    // Why signed once more: what is compared then says nothing of where two texts differ, however long comparing takes.
    const again = (text: string) => signature(text, time, secret);
    const expected = await again(await signature(raw, time, secret));
    for (const one of given) matches += +(expected === (await again(one)));
  }
  check(matches, "signature_mismatch");
  check(Math.abs(now - +time) <= tolerance, "timestamp_outside_tolerance");
}

/**
 * Verifies a request and returns its event; `switch (event.type)` narrows `event.data`.
 *
 * Types that this SDK does not know come as UnknownEvent, with everything that was sent. Throws as `verify` does.
 */
export async function unwrap(
  raw: RawBody,
  headers: HeadersLike,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): Promise<Event> {
  await verify(raw, headers, secrets, options);
  return moneyAsText(await new Response(raw as BodyInit).json());
}
