/** What the claim page says and offers in each state. No DOM and no network. */

/** @type {Record<string, string>} */
const PROBLEMS = {
  declined: "You declined it in your wallet. Nothing was sent.",
  locked: "Your wallet is locked, or shows no account. Unlock it and connect it again.",
  account_changed: "Your wallet now shows another account. Connect the one that paid.",
  request_pending: "Your wallet is still asking you something. Answer there.",
  wallet_failed: "Your wallet gave no usable answer. Nothing was sent.",
  cannot_sign: "This wallet cannot sign texts here. Ask the merchant, who can enter an address for you.",
  unreachable: "The service cannot be reached. Nothing was sent; try again in a moment.",
  rate_limited: "Too many tries. Wait a minute, then go on.",
  wallet_missing: "No wallet was found in this browser. Open this page where the wallet lives that paid, or ask the merchant.",
};
/** What the payer is told: our own words, else the service's sentence. @param {string} code @param {string} [message] */
export const problemWords = (code, message = "") => PROBLEMS[code] || message || PROBLEMS.wallet_failed;

/** What the service refused: the sentence of its first field, or its own. @param {any} body */
export const refusalWords = (body) => String(body?.details?.fields?.[0]?.message || body?.error || "");

/** Whether the connected wallet can receive on the refund's chain. @param {ClaimState} state */
export const canReceive = ({ family, connection }) => connection?.family === family;

/** Where the money goes by what is chosen; empty while nothing is. @param {ClaimState} state */
export const destinationOf = (state) =>
  state.choice === "wallet" && canReceive(state) ? state.connection?.address || "" : state.choice === "other" ? state.typed.trim() : "";

/** Which part of the page is next. @param {ClaimState} state @returns {"connect" | "choose" | "sign"} */
export const stepOf = (state) => (!state.connection ? "connect" : state.busy === "signing" ? "sign" : "choose");

/** The same state with a wallet in it. Why the choice: most send it back where it came from. @param {ClaimState} state @param {NonNullable<ClaimState["connection"]>} connection @returns {ClaimState} */
export const connected = (state, connection) => ({
  ...state, connection, busy: "", problem: "", choice: connection.family === state.family ? "wallet" : "other",
});
