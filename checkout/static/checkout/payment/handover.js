/** From the payer's word to the wallet's answer, and what an unused approval leaves open. Loaded once a wallet is known. */

import { Problem, sameAddress } from "../state.js";
import { sentKey, unsent } from "./reducer.js";

/** Problems after which the prepared transaction is given up, with the reason. @type {Record<string, string>} */
const GIVES_UP = {
  declined: "payer_rejected", no_gas: "payer_rejected", payment_declined: "payer_rejected", approval_declined: "payer_rejected",
  approval_reverted: "abandoned", batch_refused: "abandoned", batch_reverted: "abandoned",
};

/** After these the wallet may have sent the payment: nothing may be called unsent any more. */
const UNCLEAR = ["wallet_unclear", "batch_pending"];

/** Asks the wallet for everything that is not sent yet. @param {PaymentDesk} desk */
export async function handOver(desk) {
  const { connection, server: { attempt } } = desk.state();
  const wallet = desk.wallets.get(connection?.walletId || "");
  if (!wallet || !attempt || !connection) throw new Problem("locked");
  desk.dispatch({ type: "sent", sent: [...desk.state().sent, ...desk.recall("sent")] });
  desk.dispatch({ type: "perhaps", perhaps: desk.recall("perhaps").length > 0 });
  for (const transaction of unsent(desk.state())) {
    const sending = sendingOf(desk, attempt, transaction, connection);
    if (!sending.isWanted()) break;
    desk.dispatch({ type: "busy", busy: "signing" });
    const sent = await wallet.send(transaction, connection.address, sending).catch((error) => refused(desk, attempt, error));
    desk.dispatch({ type: "sent", sent: [...desk.state().sent, sentKey(attempt, transaction)] });
    desk.keep("sent", desk.state().sent);
    desk.keep("reports", [...desk.recall("reports"), { attempt_id: attempt.id, leg_sequence: transaction.leg_sequence, ...sent }]);
    await desk.report();
  }
  if (isCurrent(desk, attempt)) desk.dispatch({ type: "busy", busy: "" });
}

/** Whether the page is still at this attempt: a wallet may answer long after the payer went on to another. @param {PaymentDesk} desk @param {Attempt} attempt */
const isCurrent = (desk, { id }) => desk.state().server.attempt?.id === id;

/** Gives up what cannot go on, and remembers what is not certain. Whatever is no problem of ours is an unclear answer. @param {PaymentDesk} desk @param {Attempt} attempt @param {unknown} error @returns {Promise<never>} */
async function refused(desk, attempt, error) {
  const problem = error instanceof Problem ? error : new Problem("wallet_unclear");
  const reason = GIVES_UP[problem.code];
  if (reason && isCurrent(desk, attempt)) await desk.withdraw(reason).catch(() => {});
  if (UNCLEAR.includes(problem.code)) {
    desk.keep("perhaps", [true]);
    desk.dispatch({ type: "perhaps", perhaps: true });
  }
  throw problem;
}

/** What a wallet module may know and tell of one transaction. @param {PaymentDesk} desk @param {Attempt} attempt @param {Signable} transaction @param {Connection} connection @returns {Sending} */
function sendingOf(desk, attempt, transaction, { walletId, address: owner }) {
  const key = sentKey(attempt, transaction);
  const others = () => desk.recall("batches").filter(({ of }) => of !== key);
  return {
    id: `0x${attempt.id.replaceAll("-", "")}${transaction.leg_sequence.toString(16).padStart(32, "0")}`,
    walletSends: desk.recall("altered").includes(walletId),
    isWanted: () => desk.state().consent?.id === attempt.id && unsent(desk.state()).some((each) => sentKey(attempt, each) === key),
    tell: (step) => isCurrent(desk, attempt) && desk.dispatch({ type: "step", step: { ...step, provider: transaction.provider || "" } }),
    batch: () => desk.recall("batches").find(({ of }) => of === key)?.batch || null,
    keepBatch: (batch) => desk.keep("batches", batch ? [...others(), { of: key, batch }] : others()),
    allowed: (approval) => {
      const { chain_id, chain, provider } = transaction;
      const open = { ...approval, owner, chain, chain_id: Number(chain_id), provider: provider || "" };
      desk.keep("allowances", [...desk.recall("allowances").filter((each) => !isSame(each, open)), open]);
    },
  };
}

/** @param {Allowance} one @param {Allowance} other */
const isSame = (one, other) => one.chain_id === other.chain_id && one.to === other.to && one.spender === other.spender && sameAddress(one.owner, other.owner);

/** Shows an approval that the connected wallet gave and no payment used. Where the wallet cannot tell, it counts as open. @param {PaymentDesk} desk */
export async function findOpenAllowance(desk) {
  const { connection } = desk.state();
  const wallet = desk.wallets.get(connection?.walletId || "");
  const mine = desk.recall("allowances").filter(({ owner }) => sameAddress(owner, connection?.address || ""));
  for (const allowance of mine) {
    if (await wallet?.isOpen?.(allowance) === false) forget(desk, allowance);
    else return desk.dispatch({ type: "allowance", allowance });
  }
  desk.dispatch({ type: "allowance", allowance: null });
}

/** Takes it back by the wallet that gave it. @param {PaymentDesk} desk */
export async function revokeAllowance(desk) {
  const { allowance, connection } = desk.state();
  const wallet = desk.wallets.get(connection?.walletId || "");
  if (!allowance || !wallet?.revoke) throw new Problem("locked");
  desk.dispatch({ type: "busy", busy: "revoking" });
  await wallet.revoke(allowance);
  forget(desk, allowance);
  desk.dispatch({ type: "busy", busy: "" });
  await findOpenAllowance(desk);
}

/** @param {PaymentDesk} desk @param {Allowance} allowance */
const forget = (desk, allowance) => desk.keep("allowances", desk.recall("allowances").filter((each) => !isSame(each, allowance)));
