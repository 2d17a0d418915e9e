import { type Handler, receive, type Secrets } from "./receive.js";

/** Of Hono's context, what is needed here. */
export interface HonoContext {
  req: { raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
}

/** A handler of Hono: `app.post("/webhooks", webhooks(handler))`. */
export function webhooks<Context extends HonoContext>(
  handler: Handler<Context>,
  secrets?: Secrets,
): (context: Context) => Promise<Response> {
  return async (context) => {
    const raw = await context.req.arrayBuffer();
    return new Response(null, { status: await receive(raw, context.req.raw.headers, secrets, handler, context) });
  };
}
