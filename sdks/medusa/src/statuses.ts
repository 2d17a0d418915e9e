import { PaymentActions, PaymentSessionStatus } from "@medusajs/framework/utils";

/** The payer may still choose whether to pay, and nothing has arrived: it can be cancelled. */
const OPEN = ["created", "requires_payment", "quoted", "awaiting_signature"];

export const isOpen = (status: string): boolean => OPEN.includes(status);

/**
 * What a payment intent's status is in Medusa. A status that is not known yet is `pending`.
 *
 * A refunded payment is `canceled`, so that no order is placed for money that has gone back.
 */
export function sessionStatus(status: string): PaymentSessionStatus {
  switch (status) {
    case "settled":
      return PaymentSessionStatus.CAPTURED;
    case "executing":
      return PaymentSessionStatus.PENDING_AUTHORIZATION;
    case "partially_filled":
      return PaymentSessionStatus.REQUIRES_MORE;
    case "failed":
      return PaymentSessionStatus.ERROR;
    case "expired":
    case "cancelled":
    case "refunded":
      return PaymentSessionStatus.CANCELED;
    default:
      return PaymentSessionStatus.PENDING;
  }
}

/** What Medusa is to do about an event. It acts on `captured` alone, and asks the provider again when it does. */
export function actionOf(type: string): PaymentActions {
  switch (type) {
    case "payment_intent.settled":
    case "payment_intent.settlement_restored":
      return PaymentActions.SUCCESSFUL;
    case "payment_intent.executing":
      return PaymentActions.PENDING_AUTHORIZATION;
    case "payment_intent.partially_filled":
      return PaymentActions.REQUIRES_MORE;
    case "payment_intent.failed":
      return PaymentActions.FAILED;
    case "payment_intent.expired":
    case "payment_intent.cancelled":
    case "payment_intent.refunded":
      return PaymentActions.CANCELED;
    default:
      return PaymentActions.NOT_SUPPORTED;
  }
}
