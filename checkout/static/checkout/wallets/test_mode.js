/** Test mode only: the simulated wallets, which play what the menu of the page says. */

import { announceTestWallets, isSimulated } from "./simulated.js";

/** Announces them; says of any wallet whether it may be used here. @param {Desk} desk */
export function startTestMode({ api, state, scenario }) {
  announceTestWallets({
    transactions: () => state().server.attempt?.transactions || [], scenario, memory: tabMemory(),
    send: async (leg_sequence, behaviour) =>
      (await api.act("simulated-wallet/transactions", { attempt_id: state().server.attempt?.id, leg_sequence, behaviour })).tx_hash,
  });
  return isSimulated;
}

/** What the wallets keep for this tab; where a frame may store nothing, for this page. @returns {SimulatedWorld["memory"]} */
function tabMemory() {
  try {
    return sessionStorage;
  } catch {
    /** @type {Map<string, string>} */
    const kept = new Map();
    return { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => { kept.set(name, value); } };
  }
}
