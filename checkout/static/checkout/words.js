/** Every sentence of the scripts, and how amounts and times are written: the module to translate. {0} is a gap. */

const SAFE = "Nothing was sent. Your money is still in your wallet.";
const UNPAID = "No payment was sent. At most a network fee was spent.";
const PERHAPS = "It may have sent the payment. If so, it will show up here.";
const GOES_ON = "Payments already sent continue without this page.";

/** What happened, what to do, where the money is if not simply safe. @type {Record<string, string[]>} */
const problems = {
  declined: ["You declined in your wallet.", "Choose a token to try again, or leave this page."],
  locked: ["Your wallet is locked or shared no account.", "Unlock it, allow this site, and try again."],
  request_pending: ["Your wallet already has a request open.", "Open your wallet, answer it, and try again."],
  wrong_network: ["Your wallet stayed on another network.", "Allow the change in your wallet, or pay with another token."],
  unknown_network: ["Your wallet does not know this network.", "Add it in your wallet, or pay with another token."],
  no_gas: ["Your wallet has too little for the network fee.", "Add a little, or pay with another token."],
  account_changed: ["Your wallet switched to another account.", "Switch back, or connect the new account here."],
  wallet_failed: ["Your wallet answered with an error.", "Try again, or use another wallet."],
  wallet_altered: ["Your wallet changed the payment before it signed it.", "Try again, or use another wallet."],
  approval_declined: ["You declined the allowance in your wallet.", "Choose a token to try again, or leave this page."],
  payment_declined: ["You declined the payment in your wallet.", "Choose a token to try again, or take the allowance back.", UNPAID],
  approval_reverted: ["The network refused the allowance.", "Try again, or pay with another token.", UNPAID],
  approval_slow: ["The allowance is not confirmed yet.", "Wait a minute, then press pay again.", UNPAID],
  batch_refused: ["Your wallet could not send the payment.", "Try again, or pay with another token."],
  batch_reverted: ["The network refused the payment.", "Try again, or pay with another token.", UNPAID],
  batch_pending: ["Your wallet has not said how it ended.", "Look into your wallet. Pressing pay again only asks it how it went.", PERHAPS],
  wallet_unclear: ["Your wallet gave no clear answer.", "Look into your wallet before you try again.", PERHAPS],
  tx_not_for_this_intent: ["Your wallet named a transaction that is not this payment.", "Look into your wallet. Pay again only if it shows no payment to this merchant.", "What it sent went where it was addressed."],
  tx_not_found: ["No network has seen what your wallet sent.", "Look into your wallet before you pay again.", "If it still lands, it will show up here."],
  other_tab: ["Another tab is already asking your wallet.", "Answer there; this page follows."],
  quote_changed: ["The price changed before your wallet was asked.", "Look at the new price, and confirm it if you agree."],
  no_route: ["This token cannot be used right now.", "Choose another token."],
  moved_on: ["The payment moved on in the meantime.", "Look again before you continue.", "What you see here is up to date."],
  busy_service: ["Too many requests in a short time.", "Wait a moment, then try again."],
  session_ended: ["This page was open for too long.", "Reload it to go on.", GOES_ON],
  unreachable: ["The payment service did not answer.", "Check your connection and try again.", GOES_ON],
  refused: ["The payment service refused this step.", "Try again, or choose another token or wallet."],
};

export const problemCodes = Object.keys(problems);

/** What happened, where the money is, what to do. @param {string} code */
export function problemWords(code) {
  const [happened, next, money = SAFE] = problems[code] || problems.refused;
  return [happened, money, next];
}

/** What this tab is in the middle of. @type {Record<string, string[]>} */
export const moments = {
  connecting: ["Waiting for {0}", "Connecting moves no money.", "Allow the connection in your wallet."],
  starting: ["Preparing your payment", "Your money is still in your wallet.", "Your wallet will ask you in a moment."],
  signing: ["Confirm in {0}", "Your money stays in your wallet until you confirm.", "Compare the amount, then confirm. Keep this page open."],
  revoking: ["Confirm in {0}", "This only takes an allowance back.", "Confirm, and keep this page open."],
  sent: ["Your wallet sent the payment", "It is on its way. The network has not shown it yet.", "Nothing to do."],
};

/** @type {Record<string, string>} */
const names = {
  ethereum: "Ethereum", base: "Base", arbitrum: "Arbitrum", optimism: "Optimism", polygon: "Polygon", bnb: "BNB Chain", solana: "Solana",
  planned: "Planned", awaiting_signature: "Your wallet", submitted: "Sent", confirming: "Confirming", confirmed: "Done",
  failed: "Failed", refunded: "Returned", in_doubt: "Checking", lifi: "LI.FI", evm: "Ethereum, Base and other EVM networks",
};

/** @param {string} id */
export const nameOf = (id) => names[id] || id;

export const words = {
  chooseWallet: "Choose a wallet",
  noWallets: "No wallet was found in this browser. Use your phone, or a wallet app.",
  notInTest: "Real wallets rest in test mode",
  waiting: "Waiting…",
  walletApps: "Open in a wallet app",
  payWith: "Pay with",
  changeWallet: "Change wallet",
  slow: "The network answers slowly. We keep asking; nothing was sent.",
  looking: "Looking at your balances on every network…",
  unreadable: "Your balances could not be read.",
  tryAgain: "Try again",
  nothing: "This wallet holds nothing that can be used here.",
  tooLittle: "Not enough to pay with ({0})",
  best: "Best choice",
  costs: "{0} + {1} network fee · {2}",
  yourPayment: "Your payment",
  quoting: "Getting a firm price…",
  refreshing: "Refreshing the price…",
  worsened: "The price went up. It was {0}.",
  atMost: "You pay at most",
  atLeast: "Merchant gets at least",
  fee: "Service fee",
  gas: "Network fee",
  takes: "Takes about",
  refund: "A refund would go to",
  ownWallet: "your wallet {0}",
  elsewhere: "Your wallet may have been asked already. Continue only if you have not confirmed there.",
  pay: "Pay {0}",
  connectToPay: "Connect {0} to pay",
  before: "Your wallet asks you to confirm. Nothing moves before that.",
  changeToken: "Change token",
  confirm: "Confirm in your wallet",
  preparing: "Preparing your transaction…",
  reset: "Step {0} of {1}: set the old allowance of {2} to zero; this token asks for that first.",
  allow: "Step {0} of {1}: allow {2} to use exactly {3}, for this payment only.",
  mined: "Step {0} of {1} is on its way. The next request follows once the network has it.",
  payStep: "Step {0} of {1}: pay.",
  both: "One request: allow {2} to use exactly {3}, and pay.",
  batch: "Your wallet sends both together. Waiting for the network…",
  allowance: "You allowed {0} to use {1}, and no payment used it.",
  revoke: "Take it back",
  request: "Request {0} of {1}: look for your wallet's window.",
  cancel: "Cancel",
  progress: "You can close this page",
  safe: "The payment continues without it, and this address shows the result.",
  doubt: "You cannot pay twice",
  doubtWhy: "One answer is missing. Paying again is switched off until it is here. You can close this page.",
  receipt: "Receipt",
  after: "Keep or leave this page",
  print: "Print this page",
  goBack: "Return to the merchant",
  leaving: "Returning in {0}…",
  stay: "Stay here",
  on: "{0} on {1}",
  move: "Move {0} from {1} to {2}",
  swap: "Swap {0} for {1} on {2}",
  send: "Send {0} on {1}",
  elapsed: "{0} of about {1}",
  view: "View transaction",
  left: "{0} left to pay",
  reference: "For support: {0}",
};

/** @param {string} sentence @param {...(string | number)} parts */
export const say = (sentence, ...parts) => sentence.replace(/{(\d)}/g, (_, place) => String(parts[place]));

/** @param {{spender: string, provider?: string}} allowance */
export const spenderOf = ({ spender, provider }) => (provider ? `${nameOf(provider)} (${tail(spender)})` : tail(spender));

/** What the wallet asks right now. @param {Step} step */
export function stepWords({ kind, place, total, approval, provider }) {
  const { spender = "", amount = "", token = "" } = approval || {};
  return say(words[kind === "pay" ? "payStep" : kind], place, total, spenderOf({ spender, provider }), `${amount} ${token}`);
}

/** `ceil` never shows too little to pay, `floor` never too much to have. @param {string} locale */
export function formats(locale) {
  /** @param {Intl.NumberFormatOptions} options @returns {(value: any) => string} */
  const number = (options) => (value) => new Intl.NumberFormat(locale, options).format(value || 0);
  const places = { minimumFractionDigits: 2, maximumFractionDigits: 6 };
  /** @param {number} value @param {string} unit */
  const long = (value, unit) => number({ style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 })(value);
  return {
    usd: number({ style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" }),
    ceil: number({ ...places, roundingMode: "ceil" }),
    floor: number({ ...places, roundingMode: "floor" }),
    /** @param {number} seconds */
    duration: (seconds) => (seconds < 90 ? long(seconds, "second") : long(seconds / 60, "minute")),
    /** @param {string} instant */
    time: (instant) => new Date(instant).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" }),
  };
}

/** @param {string} address */
export const tail = (address) => (address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address);
