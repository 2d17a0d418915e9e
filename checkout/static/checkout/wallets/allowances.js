/** What a contract may take of a wallet's token: read it, wait for a change of it, take it back. */

import { Problem } from "../state.js";
import { senderOf } from "./sender.js";

const APPROVE = "0x095ea7b3";
const ALLOWANCE = "0xdd62ed3e";
const PAUSE_MS = 1500;
const PATIENCE_MS = 180000;

/** Turns to ask again, for three minutes. */
export async function* pauses() {
  for (let waited = 0; waited < PATIENCE_MS; waited += PAUSE_MS) {
    yield waited;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The spender of an approval, as one word of calldata. @param {Call} approval */
const spenderOf = ({ data }) => data.slice(10, 74);

/** @param {Call} approval */
export const amountOf = ({ data }) => BigInt(`0x${data.slice(74, 138)}`);

/** What the approval's spender may take now; null where the wallet cannot tell. @param {Ask} ask @param {string} owner @param {Call} approval */
export async function allowanceOf(ask, owner, approval) {
  const data = ALLOWANCE + owner.slice(2).toLowerCase().padStart(64, "0") + spenderOf(approval);
  try {
    return BigInt(await ask("eth_call", [{ to: approval.to, data }, "latest"]));
  } catch {
    return null;
  }
}

/** Waits until an approval is on chain, also where the wallet sent it again under another hash. @param {Sender} sender @param {string} hash @param {Call} approval */
export async function mined({ ask, from }, hash, approval) {
  for await (const _ of pauses()) {
    const receipt = await ask("eth_getTransactionReceipt", [hash]).catch(() => null);
    if (receipt?.status && !Number(receipt.status)) throw new Problem("approval_reverted");
    if (receipt?.status || await allowanceOf(ask, from, approval) === amountOf(approval)) return;
  }
  throw new Problem("approval_slow");
}

/** Whether it can still be used; null where the wallet looks at another chain or cannot tell. @param {Ask} ask @param {Allowance} allowance */
export async function isOpen(ask, allowance) {
  const chain = await ask("eth_chainId").catch(() => 0);
  const left = Number(chain) === allowance.chain_id ? await allowanceOf(ask, allowance.owner, allowance) : null;
  return left === null ? null : left > 0n;
}

/** Sets it to nothing by the same wallet. @param {Ask} ask @param {Allowance} allowance */
export async function revoke(ask, allowance) {
  const { owner, to, chain_id } = allowance;
  const sender = senderOf(ask, owner, chain_id);
  const nothing = { to, data: APPROVE + spenderOf(allowance) + "0".repeat(64), value: 0 };
  await sender.ready();
  const hash = await sender.send(nothing).catch(refuseRevoking);
  await mined(sender, hash, nothing).catch(refuseRevoking);
}

/** @param {Problem} problem @returns {never} */
function refuseRevoking({ code }) {
  /** @type {Record<string, string>} */
  const codes = {
    declined: "revoke_declined", wallet_refused: "revoke_failed", approval_reverted: "revoke_failed",
    approval_slow: "revoke_unclear", wallet_unclear: "revoke_unclear",
  };
  throw new Problem(codes[code] || code);
}
