/** What the claim page says and offers in each state, in the words that the service gave. No DOM and no network. */

/** A sentence with its gaps filled. @param {string} sentence @param {string[]} gaps */
export const filled = (sentence, ...gaps) => sentence.replace(/\{(\d)\}/g, (gap, place) => gaps[place] ?? gap);

/** What the payer is told, in three parts. @param {ClaimWords} words @param {string} code */
export const problemWords = ({ problems }, code) => (problems[code] || problems.wallet_failed).join(" ");

/** Which problem a refusal of the service is. Why unreachable for what is not listed: nobody knows what it changed. @param {ClaimWords} words @param {any} body */
export const problemOf = ({ answers }, body) =>
  body?.details?.fields?.[0]?.field === "destination" ? "address_refused" : answers[body?.code] || "unreachable";

/** Whether a refused signature may be that of a wallet that is a contract, which live mode can ask. @param {string} mode @param {Family} family @param {string} problem */
export const mayBeContract = (mode, family, problem) =>
  mode === "live" && family === "evm" && ["signature_refused", "contract_wallet"].includes(problem);

/** What the page waits for now; empty while it waits for nothing. @param {ClaimState} state @param {Record<string, string>} said */
export const sayingNow = ({ busy }, said) => (busy === "asking" ? said.asking : busy ? said.answer : "");

/** Whether the connected wallet can receive on the refund's chain. @param {ClaimState} state */
export const canReceive = ({ family, connection }) => connection?.family === family;

/** Where the money goes by what is chosen; empty while nothing is. @param {ClaimState} state */
export const destinationOf = (state) =>
  state.choice === "wallet" && canReceive(state) ? state.connection?.address || "" : state.choice === "other" ? state.typed.trim() : "";

/** Which part of the page is next. @param {ClaimState} state @returns {"connect" | "choose" | "sign"} */
export const stepOf = (state) => (!state.connection ? "connect" : ["signing", "asking"].includes(state.busy) ? "sign" : "choose");

/** The same state with a wallet in it. Why the choice: most send it back where it came from. @param {ClaimState} state @param {NonNullable<ClaimState["connection"]>} connection @returns {ClaimState} */
export const connected = (state, connection) => ({
  ...state, connection, busy: "", problem: "", choice: connection.family === state.family ? "wallet" : "other",
});
