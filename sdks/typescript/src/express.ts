import { type Handler, receive, type Secrets } from "./receive.js";
import type { HeadersLike, RawBody } from "./webhooks.js";

/** Of Express' request, or Node's own, what is needed here. */
export interface ExpressRequest extends AsyncIterable<unknown> {
  headers: HeadersLike;
  body?: unknown;
}

/** Of Express' answer, or Node's own, what is needed here. */
export interface ExpressResponse {
  statusCode: number;
  end(): unknown;
}

const LONGEST_BODY = 1 << 20;

/**
 * A handler of Express: `app.post("/webhooks", webhooks(handler))`, before any `express.json()`.
 *
 * It reads the body itself, or takes what `express.raw()` left. A parsed body is a TypeError, which goes to `next`.
 */
export function webhooks<Asked extends ExpressRequest>(
  handler: Handler<Asked>,
  secrets?: Secrets,
): (request: Asked, response: ExpressResponse, next?: (error: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const raw = request.body === undefined ? await read(request) : (request.body as RawBody);
      response.statusCode = raw ? await receive(raw, request.headers, secrets, handler, request) : 413;
    } catch (error) {
      if (next) return next(error);
      response.statusCode = 500;
    }
    response.end();
  };
}

/** The whole body, or nothing where it is longer than any event. */
async function read(request: AsyncIterable<unknown>): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > LONGEST_BODY) return undefined;
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  for (const part of parts.reverse()) whole.set(part, (length -= part.length));
  return whole;
}
