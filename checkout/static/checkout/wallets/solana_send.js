/** What a Solana wallet is asked: to sign what the service sends, or to send it itself. Builds no transactions. */

import { Problem } from "../state.js";
import { CHAIN, SEND, SIGN } from "./discovery.js";
import { problemOf, refuse } from "./refusals.js";

export const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Why signing first: the service then knows the payment before any network does. @param {StandardWallet} wallet @param {StandardAccount | undefined} account @param {Signable} transaction @param {string} from @param {Sending} [sending] @returns {Promise<SentTransaction>} */
export async function sendSolana({ features }, account, { transaction_base64 = "" }, from, sending) {
  if (account?.address !== from) throw new Problem(account ? "account_changed" : "locked");
  const transaction = Uint8Array.from(atob(transaction_base64), (letter) => letter.charCodeAt(0));
  const input = { account, chain: CHAIN, transaction, options: { preflightCommitment: "confirmed" } };
  if (features[SIGN] && !(features[SEND] && sending?.walletSends)) {
    const [{ signedTransaction }] = await features[SIGN].signTransaction(input).catch(refuse("wallet_failed"));
    return { tx_hash: base58(signedTransaction.slice(1, 65)), signed_transaction: btoa(String.fromCharCode(...signedTransaction)) };
  }
  try {
    const [{ signature }] = await features[SEND].signAndSendTransaction(input);
    return { tx_hash: base58(signature) };
  } catch (error) {
    throw problemOf(error, "wallet_unclear");
  }
}

/** @param {Uint8Array} bytes */
export function base58(bytes) {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; number > 0n; number /= 58n) text = BASE58[Number(number % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte > 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}
