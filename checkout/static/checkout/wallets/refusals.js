/** What a wallet's error means, by its number (EIP-1193, EIP-1474) or, where wallets differ, by its text. */

import { Problem } from "../state.js";

/** @type {Record<number, string>} */
const CODES = {
  4001: "declined", 4100: "locked", 4902: "unknown_network", [-32002]: "request_pending",
};
/** Answers by which a wallet says that it does not send: unlike others, they leave nothing in doubt. */
const REFUSALS = [4200, -32003];

/** @param {any} error */
export const codeOf = (error) => Number(error?.data?.originalError?.code ?? error?.code);

/** @param {string} otherwise @returns {(error: unknown) => never} */
export const refuse = (otherwise) => (error) => { throw problemOf(error, otherwise); };

/** Whatever a wallet threw, as a problem: what it throws may throw again when it is read. @param {unknown} error @param {string} otherwise */
export function problemOf(error, otherwise) {
  try {
    return meaningOf(error, otherwise);
  } catch {
    return new Problem(otherwise);
  }
}

/** @param {any} error @param {string} otherwise */
function meaningOf(error, otherwise) {
  if (error instanceof Problem) return error;
  const [code, text] = [codeOf(error), String(error?.message)];
  const refused = otherwise === "wallet_unclear" && REFUSALS.includes(code) ? "wallet_refused" : otherwise;
  const guess = /insufficient/i.test(text) ? "no_gas" : /user (rejected|denied|declined|cancel)/i.test(text) ? "declined" : refused;
  return new Problem(CODES[code] || guess);
}
