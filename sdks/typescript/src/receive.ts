import { environment } from "./environment.js";
import type { Event } from "./generated.js";
import { type HeadersLike, type RawBody, unwrap, WebhookVerificationError } from "./webhooks.js";

/** Does what an event asks for. It may be called twice for one event: remember `event.id`. */
export type Handler<Context> = (event: Event, context: Context) => unknown;

/** One secret, or while one is rotated several; `CAUSEWAY_WEBHOOK_SECRET` where none is given. */
export type Secrets = string | readonly string[] | undefined;

/**
 * Returns the status to answer: 204 once the handler is done, 401 for a request that is not genuine.
 *
 * What the handler throws goes on to the framework, which answers 500, and the service sends the event again.
 */
export async function receive<Context>(
  raw: RawBody,
  headers: HeadersLike,
  secrets: Secrets,
  handler: Handler<Context>,
  context: Context,
): Promise<204 | 401> {
  let event: Event;
  try {
    event = await unwrap(raw, headers, secrets ?? environment("CAUSEWAY_WEBHOOK_SECRET") ?? "");
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 401;
    throw error;
  }
  await handler(event, context);
  return 204;
}
