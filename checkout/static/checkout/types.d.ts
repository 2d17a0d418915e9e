/** Shapes shared by the page's modules: what the payer API sends and what the page keeps. Types only, never loaded. */

type Family = "evm" | "solana";
type AttemptStatus =
  | "quoting" | "quoted" | "preparing" | "awaiting_signature" | "executing"
  | "confirmed" | "failed" | "abandoned" | "lapsed";
type IntentStatus =
  | "created" | "requires_payment" | "quoted" | "awaiting_signature" | "executing" | "partially_filled"
  | "settled" | "failed" | "expired" | "cancelled" | "refunded";

/** The three parts every outcome has: what happened, where the money is, what to do. */
interface Message { code: string; happened: string; money: string; next: string }

interface TokenBalance {
  chain: string; chain_name: string; token_address: string; symbol: string; name: string;
  balance: string; balance_usd: string; sufficient: boolean;
  pay_amount: string | null; pay_usd: string | null; fee_usd: string | null; gas_usd: string | null;
  duration_sec: number | null; recommended: boolean;
  /** Why it is best, worse or of no use: a code, and the payer's sentence. */
  reason_code: string | null; reason: string;
}

interface PayerWallet {
  family: Family; address: string; status: "looking" | "ready" | "failed"; tokens: TokenBalance[];
}

/** A transaction as a wallet is asked to send it. */
interface Call { to: string; data: string; value: string | number }

/** Lets a contract take exactly one payment's amount of a token; `amount` is readable, 0 takes an older one back. */
interface Approval extends Call { token: string; amount: string; spender: string }

/** An approval that was given, by whom and where. */
interface Allowance extends Approval { owner: string; chain: string; chain_id: number; provider: string }

/** One transaction the service prepared; the page only hands it to the wallet. */
interface Signable {
  provider?: string; approvals?: Approval[];
  /** What was wrong with the transaction that was last reported for it. */
  refused?: string;
  leg_sequence: number; family: Family; chain_id?: number | null; chain: string;
  request?: { to: string; data?: string; value?: string | number };
  transaction_base64?: string;
}

interface Attempt {
  id: string; number: number; status: AttemptStatus; chain: string; token: string; token_address: string;
  pay_at_most: string; pay_at_most_usd: string; merchant_gets_at_least: string; merchant_token: string;
  fee_usd: string; gas_usd: string; duration_sec: number; refund_to: string; quote_expires_at: string | null;
  /** All that leaves the wallet at most, network fees included. */
  total_usd: string | null;
  /** What the service is told to have stood on the screen; only while quoted. */
  terms: object | null;
  route: string; routes: Route[]; transactions: Signable[];
  /** What each leg takes from the wallet; more than one when no single balance suffices. */
  parts: { chain: string; token: string; pay_at_most: string }[];
}

/** A way that was weighed; without figures where it does not work. */
interface Route {
  provider: string; provider_name: string; chain: string; token: string; chosen: boolean; works: boolean;
  cost_usd: string | null; duration_sec: number | null; reason_code: string; reason: string;
}

interface Leg {
  sequence: number; kind: string; provider: string; chain: string; to_chain: string | null;
  token: string; to_token: string | null; amount_usd: number; status: string; tx_hash: string | null;
  explorer_url: string | null; destination_tx_hash: string | null; destination_explorer_url: string | null;
  submitted_at: string | null; confirmed_at: string | null; chain_name: string; to_chain_name: string;
  /** Where it is and whether it is slow: a code, and the payer's sentence. */
  note_code: string; note: string;
  typical_seconds: number | null;
  /** Whether this browser began it. */
  own: boolean;
}

interface PayerState {
  id: string; mode: "test" | "live"; status: IntentStatus; amount: string; currency: string; merchant_name: string;
  settlement_chain: string; settlement_token: string; settlement_address_tail: string;
  expires_at: string; server_time: string; amount_received: string; amount_due: string; overpaid_usd: string;
  in_doubt: boolean; message: Message; last_error: { code: string; message: string } | null;
  return_url: string | null; receipt_url?: string | null; reference: string | null; wallet: PayerWallet | null; attempt: Attempt | null;
  /** Tries that others have open beside this browser's. */
  others: { open: number; furthest: AttemptStatus | null };
  legs: Leg[]; terminal: boolean;
}

interface Context {
  intent_id: string; api_base: string; checkout_token: string; mode: "test" | "live";
  /** This browser's own secret, made by the page: never in an address, never told to another page. */
  browser: string;
  state: PayerState; locale: string;
  /** What is said before a wallet is pressed; the rest stands at `words_url`. */
  words: Partial<Words>; words_url: string;
}

/** A wallet as the page lists it: copied and cleaned, never the announcement itself. */
interface WalletOption {
  id: string; family: Family; name: string; icon: string; origin: string; usable: boolean;
}

type Busy = "" | "connecting" | "looking" | "quoting" | "starting" | "signing" | "revoking";

interface Connection { walletId: string; name: string; address: string }

/** What the wallet is asked right now: which of how many requests, for what. */
interface Step { kind: "reset" | "allow" | "mined" | "pay" | "both" | "batch"; place: number; total: number; approval?: Approval; provider?: string }

/** Everything the page knows. `server` is the service's word, the rest is this tab's. */
interface PageState {
  server: PayerState;
  /** Milliseconds the service's clock is ahead of the browser's. */
  clockOffset: number;
  wallets: WalletOption[];
  connection: Connection | null;
  connectingTo: string; busy: Busy; choosing: "" | "wallet" | "token";
  /** The attempt as it was on the screen when the payer pressed the button. */
  consent: Attempt | null;
  /** Whether the service has heard of that consent. */
  started: boolean;
  step: Step | null;
  /** An approval of the connected wallet that no payment used. */
  allowance: Allowance | null;
  /** The last firm quote that was on the screen. */
  quote: Attempt | null;
  worsened: { was: Attempt; at: number } | null;
  problem: { code: string; reference?: string } | null;
  /** Transactions the wallet already sent, as `attempt id:leg sequence`. */
  sent: string[];
  /** Whether an earlier answer of the wallet was unclear: it may have sent the payment. */
  perhaps?: boolean;
  offline: boolean; leavingIn: number | null; locale: string;
}

/** A derivation: something that follows from the page state alone. */
type Of<T> = (state: PageState) => T;
/** The next page state after a change. */
type Reduce<A> = (state: PageState, change: A) => PageState;
type Panel = "wallets" | "tokens" | "quote" | "sign" | "progress" | "doubt" | "done";

type Action =
  | { type: "perhaps"; perhaps: boolean }
  | { type: "server"; server: PayerState; now: number }
  | { type: "wallet_announced"; option: WalletOption }
  | { type: "connecting"; connectingTo: string }
  | { type: "connected"; connection: PageState["connection"] }
  | { type: "busy"; busy: Busy }
  | { type: "choosing"; choosing: PageState["choosing"] }
  | { type: "consented" }
  | { type: "started" }
  | { type: "step"; step: Step }
  | { type: "allowance"; allowance: Allowance | null }
  | { type: "problem"; problem: { code: string; reference?: string } }
  | { type: "sent"; sent: string[] }
  | { type: "offline"; offline: boolean }
  | { type: "leaving"; leavingIn: number | null };

/** What decides the pause: `turns` since the payer last did something, `hidden` and `failures` in a row, `retryAfter` in seconds. */
interface Pace { moving: boolean; done: boolean; turns: number; hidden: number; failures: number; retryAfter: number }

type Press = (name: string, argument: string) => void;
type Child = Node | string | number | false | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined>;
/** A panel's heading and what stands below it. */
type PanelParts = [string, ...Child[]];

/** What a wallet gave back; `signed_transaction` (base64) when it can only sign and the service must send. */
interface SentTransaction { tx_hash: string; signed_transaction?: string }

/** A batch of calls at a wallet; `taken` when the wallet itself said that it has it. */
interface Batch { id: string; taken: boolean }

/** What the page lets a wallet module know and tell of one transaction. `id` is the same for one transaction for ever. */
interface Sending {
  id: string;
  /** Whether this wallet changes what it only signs, so that it must send itself. */
  walletSends: boolean;
  isWanted(): boolean; tell(step: Step): unknown; allowed(approval: Approval): void;
  batch(): Batch | null; keepBatch(batch: Batch | null): void;
}

/** One account on one chain of an EVM wallet. */
interface Sender {
  ask: Ask; from: string; chainId: string;
  /** Passes once the wallet shows this account and this chain. */
  ready(): Promise<void>;
  send(call: Call): Promise<string>;
}

/** What the scripts say, in the payer's language; problems and moments in three parts. */
interface Words {
  sentences: Record<string, string>; names: Record<string, string>;
  moments: Record<string, string[]>; problems: Record<string, string[]>;
  /** By code of the API: the problem. */
  answers: Record<string, string>;
  /** The problems that say that no payment was sent, and what is said instead where one was, or may have been, before. */
  certain: Record<string, boolean>; before: Record<string, string[]>;
}
type Formats = ReturnType<typeof import("./words.js").formats>;

/** What the page lends to its parts that are loaded later. */
interface Desk {
  context: Context; api: ReturnType<typeof import("./api.js").createApi>;
  /** What this page's memory and locks are named after. */
  memory: string;
  state(): PageState; dispatch(action: Action): void;
  /** The wallets' own objects by the ids of their options. */
  sources: Map<string, object>;
  recall(name: string): any[]; keep(name: string, list: any[]): void;
  askSoon(): void;
  /** What test mode plays. */
  scenario(): string;
}

/** The same once a wallet may be asked. */
interface PaymentDesk extends Desk {
  wallets: Map<string, Wallet>;
  withdraw(reason?: string): Promise<void>; report(): Promise<void>;
}

/** How the page behaves: at first as a list of wallets, then as a payment. Both are of one shape, so that one replaces the other. */
interface Stage {
  reduce: Reduce<Action>; draw: Of<void>; tick(state: PageState, now: number): void;
  mood: Of<{ moving: boolean; done: boolean }>;
  /** Tells the service what it has not heard. */
  report(): Promise<void>;
  learn(server: PayerState): void; press: Press;
  /** A wallet joined the list. */
  found(option: WalletOption): void;
}

/** One wallet behind either standard: all the page ever asks of it. */
interface Wallet {
  source: object;
  connect(): Promise<string>;
  reconnect(): Promise<string | null | undefined>;
  send(transaction: Signable, from: string, sending: Sending): Promise<SentTransaction>;
  /** Whether an approval can still be used; null where the wallet cannot tell. */
  isOpen?(allowance: Allowance): Promise<boolean | null>;
  revoke?(allowance: Allowance): Promise<void>;
  watch(changed: (address: string | null | undefined) => void): void;
}

type Found = (option: WalletOption, wallet: Wallet) => void;

interface Eip1193Provider {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
  on?(event: string, listener: (value: any) => void): void;

}

interface StandardAccount { address: string; chains: readonly string[]; publicKey?: Uint8Array; features?: readonly string[] }

interface StandardWallet {
  version: string; name: string; icon: string; chains: readonly string[];
  features: Record<string, any>; accounts: readonly StandardAccount[];
}

type Ask = (method: string, params?: unknown[]) => Promise<any>;

/** What the simulated wallets need of the page: the prepared transactions, their network, and the chosen behaviour. */
interface SimulatedWorld {
  transactions(): Signable[]; send(sequence: number, behaviour?: string): Promise<string>; scenario(): string; memory: Pick<Storage, "getItem" | "setItem">;
}
