/** What an EVM wallet is asked to send: its approvals, then the prepared transaction. Builds none. */

import { load } from "../state.js";
import { senderOf } from "./sender.js";

/** Hands a leg's transaction to the wallet, its approvals before it. @param {Ask} ask @param {Signable} transaction @param {string} from @param {Sending} sending @returns {Promise<SentTransaction>} */
export async function sendEvm(ask, { request, chain_id, approvals = [] }, from, sending) {
  const { to = "", data = "0x", value = 0 } = request || {};
  const sender = senderOf(ask, from, Number(chain_id));
  await sender.ready();
  if (!approvals.length) return { tx_hash: await sender.send({ to, data, value }) };
  const { sendAfter } = await load(() => import("./approvals.js"));
  return { tx_hash: await sendAfter(sender, approvals, { to, data, value }, sending) };
}
