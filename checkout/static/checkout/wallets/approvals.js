/** Approvals before a payment: both in one batch where the wallet can (EIP-5792), else one by one. Loaded where some are needed. */

import { Problem } from "../state.js";
import { allowanceOf, amountOf, mined, pauses } from "./allowances.js";
import { hex } from "./quantity.js";
import { codeOf, problemOf } from "./refusals.js";

const ANSWER_MS = 5000;
const DUPLICATE = 5720;
const UNKNOWN_BATCH = 5730;
/** @type {Record<number, string>} */
const ENDS = { 400: "batch_refused", 500: "batch_reverted" };
/** Answers by which a wallet says that it took no batch. */
const NOT_TAKEN = [4200, -32601, -32602, 5700, 5710, 5740, 5750, 5760];

/** The hash of the payment. Approvals that already hold are not asked for again, nor a batch that was sent. @param {Sender} sender @param {Approval[]} approvals @param {Call} main @param {Sending} sending */
export async function sendAfter(sender, approvals, main, sending) {
  const known = sending.batch();
  const needed = known || !(await isAllowed(sender, approvals)) ? approvals : [];
  if (known || (needed.length && await canBatch(sender))) {
    const batch = known || await sendBatch(sender, [...needed, main], sending);
    const hash = batch && await batchHash(sender, batch, sending);
    if (hash) return hash;
  }
  return oneByOne(sender, needed, main, sending);
}

/** Whether a batch would be carried out whole or not at all. A wallet that does not answer soon cannot. @param {Sender} sender */
async function canBatch({ ask, from, chainId }) {
  const late = new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  const all = await Promise.race([ask("wallet_getCapabilities", [from, [chainId]]), late]).catch(() => null);
  const found = Object.entries(all || {}).find(([chain]) => Number(chain) === Number(chainId)) || [chainId, all?.["0x0"]];
  return ["supported", "ready"].includes(found[1]?.atomic?.status);
}

/** The batch, or nothing where the wallet took none. Why an id of ours: the same batch cannot be taken twice. @param {Sender} sender @param {Call[]} calls @param {Sending} sending */
async function sendBatch({ ask, from, chainId }, calls, sending) {
  const approval = /** @type {Approval} */ (calls.at(-2));
  const { id } = sending;
  wanted(sending);
  sending.tell({ kind: "both", place: 1, total: 1, approval });
  const batch = {
    version: "2.0.0", id, from, chainId, atomicRequired: true,
    calls: calls.map(({ to, data, value }) => ({ to, data, value: hex(value) })),
  };
  try {
    const answer = await ask("wallet_sendCalls", [batch]);
    sending.keepBatch({ id: answer?.id || id, taken: true });
  } catch (error) {
    const code = codeOf(error);
    if (NOT_TAKEN.includes(code)) return null;
    const problem = problemOf(error, "wallet_unclear");
    if (code === DUPLICATE || problem.code === "wallet_unclear") sending.keepBatch({ id, taken: code === DUPLICATE });
    if (code !== DUPLICATE) throw problem;
  }
  return sending.batch();
}

/** Waits for the batch's end: its hash, or nothing where the wallet says that it never took it. @param {Sender} sender @param {Batch} batch @param {Sending} sending */
async function batchHash({ ask }, { id, taken }, sending) {
  sending.tell({ kind: "batch", place: 1, total: 1 });
  for await (const _ of pauses()) {
    const { status, receipts } = await ask("wallet_getCallsStatus", [id]).catch((error) => ({ status: codeOf(error) }));
    if (status === UNKNOWN_BATCH && !taken) {
      sending.keepBatch(null);
      return "";
    }
    const problem = ENDS[status];
    if (problem) sending.keepBatch(null);
    if (problem) throw new Problem(problem);
    const hash = receipts?.at(-1)?.transactionHash;
    if (hash) return hash;
  }
  throw new Problem("batch_pending");
}

/** @param {Sender} sender @param {Approval[]} approvals @param {Call} main @param {Sending} sending */
async function oneByOne(sender, approvals, main, sending) {
  const total = approvals.length + 1;
  for (const [index, approval] of approvals.entries()) {
    const [place, amount] = [index + 1, amountOf(approval)];
    await sender.ready();
    wanted(sending);
    sending.tell({ kind: amount ? "allow" : "reset", place, total, approval });
    const hash = await sender.send(approval).catch(refuseApproval);
    if (amount) sending.allowed(approval);
    sending.tell({ kind: "mined", place, total });
    await mined(sender, hash, approval);
  }
  await sender.ready();
  wanted(sending);
  sending.tell({ kind: "pay", place: total, total });
  return sender.send(main).catch(total > 1 ? refusePayment : undefined);
}

/** The payer may have left in the meantime. @param {Sending} sending */
function wanted(sending) {
  if (!sending.isWanted()) throw new Problem("moved_on");
}

/** @param {Problem} problem @returns {never} */
function refuseApproval({ code }) {
  /** @type {Record<string, string>} */
  const codes = { declined: "approval_declined", wallet_unclear: "approval_slow" };
  throw new Problem(codes[code] || code);
}

/** @param {Problem} problem @returns {never} */
function refusePayment({ code }) {
  throw new Problem(code === "declined" ? "payment_declined" : code);
}

/** Whether all of them hold already. @param {Sender} sender @param {Approval[]} approvals */
async function isAllowed({ ask, from }, approvals) {
  const last = approvals.filter(amountOf);
  const holding = await Promise.all(last.map(async (each) => await allowanceOf(ask, from, each) === amountOf(each)));
  return holding.every(Boolean);
}
