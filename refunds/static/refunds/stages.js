/** What the signing page offers in each state, and what it says of a wallet's refusals. No DOM and no network. */

import { sameAddress } from "/static/checkout/state.js";

/** @type {Record<string, string>} */
const PROBLEMS = {
  declined: "You declined it in your wallet. Nothing was sent.",
  locked: "Your wallet is locked. Unlock it and connect it again.",
  account_changed: "Your wallet now shows another account. Switch back to the one that you connected here.",
  wrong_network: "Your wallet stayed on another network. Switch it, then send again.",
  unknown_network: "Your wallet does not know this network. Add it there, then send again.",
  no_gas: "This wallet lacks the coin for the network's fee. Fill it, then send again.",
  request_pending: "Your wallet is still asking you something. Answer there.",
  wallet_failed: "Your wallet gave no usable answer. Nothing was sent.",
  wallet_unclear: "Your wallet did not say whether it sent anything. Look into it before you send again: we look at the chain meanwhile.",
  wallet_altered: "Your wallet changed the transaction. Use one that signs it as it is.",
  another_wallet: "Another wallet was asked to send this. Connect that one, or state that it signed nothing.",
  own_recipient: "This wallet is the one that gets the money. Connect the wallet that is to pay it.",
  moved_on: "This refund moved on meanwhile. What is shown now counts.",
  session_ended: "You were signed out, or must prove again who you are. Load the page again.",
  unreachable: "The service cannot be reached. Nothing was lost; the page goes on trying.",
};
/** @type {Record<string, string>} */
const BY_CODE = {
  sender_is_recipient: "own_recipient", shown_to_another_wallet: "another_wallet", transaction_altered: "wallet_altered", refund_not_for_wallet: "moved_on",
  wallet_not_awaited: "moved_on", not_for_a_wallet: "moved_on", 401: "session_ended", 403: "session_ended", 404: "moved_on",
};

/** @param {string} code */
export const problemWords = (code) => PROBLEMS[code] || PROBLEMS.wallet_failed;

/** The problem behind the service's refusal. @param {number} status @param {string} [code] */
export const problemCode = (status, code) => BY_CODE[code || ""] || BY_CODE[status] || (status < 500 ? "moved_on" : "unreachable");

/** @param {Sight} sight @returns {{moving: boolean, done: boolean}} */
export const mood = ({ stage }) => ({
  moving: ["preparing", "looking", "confirming", "sign", "authorize"].includes(stage), done: ["paid", "over"].includes(stage),
});

/** Whether this tab holds the wallet that was shown the refund. @param {DeskState} state */
export const holdsSender = ({ sight, connection }) => Boolean(connection && sameAddress(connection.address, sight.sender));

/** Money moved that does not count: sending again would pay a second time. @param {Sight} sight */
const isWrongAmount = ({ refused }) => refused?.code === "wrong_amount";

/** What can be pressed: one wallet each, or the one that signs. @param {DeskState} state @param {WalletOption[]} wallets @returns {Choice[]} */
export function choices(state, wallets) {
  const { sight, busy } = state;
  if (busy || isWrongAmount(sight)) return [];
  const asks = ["authorize", "sign"].includes(sight.stage);
  if (asks && holdsSender(state)) return [{ act: "sign", label: sight.stage === "sign" ? "Send in your wallet" : "Authorize and send in your wallet" }];
  if (asks || sight.stage === "connect") return wallets.map(({ name }) => ({ act: "connect", label: name }));
  return [];
}

/** What to do next, where this tab knows better than the service. @param {DeskState} state @param {number} wallets */
export function nextWords(state, wallets) {
  const { sight, busy } = state;
  if (busy) return "Answer in your wallet.";
  if (isWrongAmount(sight)) return "";
  const asks = ["authorize", "sign"].includes(sight.stage);
  if (wallets === 0 && (asks || sight.stage === "connect")) return "No wallet was found in this browser. Install one, or open this page in a wallet's own browser.";
  if (asks && !holdsSender(state)) return `Connect ${sight.sender} again: only that wallet can send this refund now.`;
  return sight.next;
}

/** What is wrong: this tab's own trouble before what the service refused. @param {DeskState} state */
export const warning = ({ sight, problem }) =>
  problem ? problemWords(problem) : sight.refused ? `${sight.refused.title} ${sight.refused.next}` : "";
