import { type Handler, receive, type Secrets } from "./receive.js";

/** A route handler of Next.js, or of any server that speaks Request and Response: `export const POST = webhooks(handler)`. */
export function webhooks(handler: Handler<Request>, secrets?: Secrets): (request: Request) => Promise<Response> {
  return async (request) => {
    const raw = await request.arrayBuffer();
    return new Response(null, { status: await receive(raw, request.headers, secrets, handler, request) });
  };
}
