import type { MedusaRequest, MedusaResponse } from "@medusajs/framework/http";
import type { Logger, WebhookActionResult } from "@medusajs/framework/types";
import { ContainerRegistrationKeys, Modules, PaymentActions } from "@medusajs/framework/utils";

/**
 * A webhook route that answers when the work is done: `export { POST } from "causeway-medusa/hook"` in
 * `src/api/hooks/payment/causeway_causeway/route.ts`, in the place of Medusa's own, which answers 200 before it looks.
 *
 * 401 to what is not genuine. What fails is answered 500, and the service sends it again.
 */
export async function POST(request: MedusaRequest, response: MedusaResponse): Promise<void> {
  const payments = request.scope.resolve(Modules.PAYMENT);
  const logger: Logger = request.scope.resolve(ContainerRegistrationKeys.LOGGER);
  const provider = request.path.split("/").pop()!;
  const data = request.body as Record<string, unknown>;
  const payload = { data, rawData: request.rawBody!, headers: request.headers, isFresh: true };
  let found: WebhookActionResult;
  try {
    found = await payments.getWebhookActionAndData({ provider, payload });
  } catch (error) {
    if ((error as Error).name !== "WebhookVerificationError") throw error;
    response.sendStatus(401);
    return;
  }
  try {
    await act(request, found, logger);
  } catch (error) {
    logger.error(`An event of ${provider} comes again, because: ${(error as Error).message}`);
    response.sendStatus(500);
    return;
  }
  response.sendStatus(204);
}

async function act(request: MedusaRequest, found: WebhookActionResult, logger: Logger): Promise<void> {
  const { action, data } = found;
  if (action !== PaymentActions.SUCCESSFUL || !data) return;
  const [session] = await request.scope.resolve(Modules.PAYMENT).listPaymentSessions({ id: [data.session_id] });
  const intent = (data as { intent_id?: string }).intent_id;
  if (session && session.data?.["id"] === intent)
    await request.scope.resolve(Modules.WORKFLOW_ENGINE).run("process-payment-workflow", { input: found });
  else logger.error(`Payment ${intent} was paid after its session ${data.session_id} was given up: give it back.`);
}
