/** What a merchant's page is told: pure, from one state of the page to the next. */

const ENDS = ["settled", "failed", "expired", "cancelled"];
const HANDED_OVER = ["executing", "confirmed"];
const UNDER_WAY = ["preparing", "awaiting_signature", "executing"];
/** The payer said no; anything else that went wrong is an error. */
const REJECTED = ["declined", "payment_declined", "approval_declined", "revoke_declined"];

/** @typedef {[name: string, detail?: object]} Told */

/** Whether leaving now would leave a payment that was begun, with the payer's word or the service's. @param {PageState} state */
export const isUnderWay = ({ consent, server: { status, in_doubt, attempt } }) =>
  !ENDS.includes(status) && (Boolean(consent) || in_doubt || status === "executing" || UNDER_WAY.includes(attempt?.status || ""));

/** The news between two states. @param {PageState | null} before @param {PageState} now @returns {Told[]} */
export function eventsOf(before, now) {
  /** @type {Told[]} */
  const ready = before ? [] : [["ready"]];
  return [...ready, ...walletEvents(before, now), ...problemEvents(before, now), ...paymentEvents(before?.server, now.server)];
}

/** @param {PageState | null} before @param {PageState} now @returns {Told[]} */
function walletEvents(before, { connectingTo, connection, wallets }) {
  const nameOf = (/** @type {string} */ id) => wallets.find((wallet) => wallet.id === id)?.name || "";
  /** @type {Told[]} */
  const told = [];
  if (connectingTo && connectingTo !== before?.connectingTo) told.push(["wallet", { status: "selected", wallet: nameOf(connectingTo) }]);
  if (connection && connection.address !== before?.connection?.address) told.push(["wallet", { status: "connected", wallet: connection.name }]);
  return told;
}

/** @param {PageState | null} before @param {PageState} now @returns {Told[]} */
function problemEvents(before, { problem, connection, connectingTo, wallets }) {
  if (!problem || problem === before?.problem) return [];
  const { code } = problem;
  const wallet = connection?.name || wallets.find(({ id }) => id === (connectingTo || before?.connectingTo))?.name || "";
  return [REJECTED.includes(code) ? ["wallet", { status: "rejected", wallet }] : ["error", { code }]];
}

/** @param {PayerState | undefined} before @param {PayerState} now @returns {Told[]} */
function paymentEvents(before, { status, attempt }) {
  /** @type {Told[]} */
  const told = [];
  const priced = attempt?.status === "quoted" && priceOf(attempt);
  if (attempt && priced && priced !== priceOf(before?.attempt)) {
    const { pay_at_most, token, chain } = attempt;
    told.push(["quoted", { pay_at_most, token, chain }]);
  }
  if (isMoving(status, attempt) && !(before && isMoving(before.status, before.attempt))) told.push(["processing"]);
  if (ENDS.includes(status) && status !== before?.status) told.push([status]);
  return told;
}

/** @param {string} status @param {Attempt | null} attempt */
const isMoving = (status, attempt) => status === "executing" || HANDED_OVER.includes(attempt?.status || "");

/** What makes two quotes the same. @param {Attempt | null | undefined} attempt */
const priceOf = (attempt) => attempt && [attempt.id, attempt.status, attempt.chain, attempt.token, attempt.pay_at_most].join();
