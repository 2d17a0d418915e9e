/** The embedded checkout's interface on a merchant's page. No event proves a payment: fulfil on the webhook. */

interface CheckoutOptions {
  /** The payment intent to pay, or what makes one on your server when it is needed. */
  intentId?: string;
  fetchIntent?: () => Promise<string>;
  /** The payer's language; without it the browser's. */
  locale?: string;
  appearance?: CheckoutAppearance;
  /** `off`: wallets of this page are not offered in the frame. */
  walletBridge?: "auto" | "off";
  /** Lets the checkout ask a wallet for `eth_signTypedData_v4`. */
  typedData?: boolean;
}

interface CheckoutAppearance { theme?: "auto" | "light" | "dark" }

/** Every event carries the intent and a number that only grows. */
interface CheckoutEvent { intent: string; seq: number }

interface CheckoutEvents {
  ready: CheckoutEvent;
  resize: CheckoutEvent & { height: number };
  wallet: CheckoutEvent & { status: "selected" | "connected" | "rejected"; wallet: string };
  quoted: CheckoutEvent & { pay_at_most: string; token: string; chain: string };
  processing: CheckoutEvent;
  settled: CheckoutEvent;
  failed: CheckoutEvent;
  expired: CheckoutEvent;
  cancelled: CheckoutEvent;
  error: CheckoutEvent & { code: string; message: string; docs_url?: string };
}

interface EmbeddedCheckout {
  /** Shows the checkout inside an element. */
  mount(element: Element): Promise<void>;
  /** Shows it above the page. */
  open(): void;
  /** Goes to the hosted page instead. */
  redirect(): Promise<void>;
  on<Name extends keyof CheckoutEvents>(name: Name, listener: (event: CheckoutEvents[Name]) => void): EmbeddedCheckout;
  update(appearance: CheckoutAppearance): void;
  /** Takes it off the page; it can be mounted again. */
  unmount(): void;
  /** Takes it off the page and forgets all listeners. */
  destroy(): void;
}

interface Window {
  /** Takes a publishable key, `pk_test_…` or `pk_live_…`. */
  Causeway(publishableKey: string): { checkout(options: CheckoutOptions): EmbeddedCheckout };
}
