import { type RawBody, signature } from "./hmac.js";

/** What a signed request says beside its body. `timestamp`: seconds since 1970, now by default. */
export interface SignOptions {
  timestamp?: number;
  eventId?: string;
  eventType?: string;
  deliveryId?: string;
  attempt?: number;
}

/** Returns the headers that the service sends with this body, for tests of a receiver. Several secrets sign several times. */
export async function sign(
  body: RawBody,
  secrets: string | readonly string[],
  options: SignOptions = {},
): Promise<Record<string, string>> {
  const time = String(options.timestamp ?? Math.floor(Date.now() / 1000));
  const signed = await Promise.all([secrets].flat().map((secret) => signature(body, time, secret)));
  const event = Object(await new Response(body as BodyInit).json().catch(() => undefined)); // a body may be no event, too
  return {
    "Content-Type": "application/json",
    "Svc-Signature": [`t=${time}`, ...signed.map((one) => `v1=${one}`)].join(","),
    "Svc-Event-Id": options.eventId ?? String(event.id ?? ""),
    "Svc-Event-Type": options.eventType ?? String(event.type ?? ""),
    "Svc-Delivery-Id": options.deliveryId ?? crypto.randomUUID(),
    "Svc-Attempt": String(options.attempt ?? 1),
  };
}
