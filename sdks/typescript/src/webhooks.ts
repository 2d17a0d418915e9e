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

/** The request is not from the service, or not as it was sent: answer 401. */
export class WebhookVerificationError extends Error {
  override name = "WebhookVerificationError";
}

/** The values of `Svc-Signature`, and the names before them. */
function pairs(headers: HeadersLike): [name: string, value: string][] {
  const all = typeof headers.entries === "function" ? [...headers.entries()] : Object.entries(headers);
  return all
    .filter(([name]) => name.toLowerCase() === "svc-signature")
    .flatMap(([, value]) => String(value).split(","))
    .map((part) => {
      const [, name, value] = /^[ \t]*([^=]*)=?(.*?)[ \t]*$/s.exec(part)!;
      return [name!, value!];
    });
}

/** Compares in a time that does not depend on where two texts differ. */
function same(one: string, other: string): boolean {
  let differs = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) differs |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return !differs;
}

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
  const given = pairs(headers);
  const [time = "", second] = given.filter(([name]) => name === "t").map(([, value]) => value);
  if (second !== undefined || !/^[0-9]{1,12}$/.test(time)) refuse("no time, or two");
  if (!(Math.abs(now - +time) <= tolerance)) refuse("not signed just now");
  let matches = 0;
  for (const secret of [secrets].flat().filter(Boolean)) {
    const expected = await signature(raw, time, secret);
    for (const [name, value] of given) if (name === "v1" && same(expected, value)) matches++;
  }
  if (!matches) refuse("not signed with this secret, or another body was");
}

function refuse(why: string): never {
  throw new WebhookVerificationError("Svc-Signature: " + why);
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
