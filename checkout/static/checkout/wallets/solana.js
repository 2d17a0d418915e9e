/** Solana wallets, spoken to by the Wallet Standard's features. Builds no transactions. */

import { Problem, load } from "../state.js";
import { CHAIN, CONNECT, findSolana } from "./discovery.js";
import { refuse } from "./refusals.js";

/** @param {Found} found */
export const discoverSolana = (found) => findSolana((option, wallet) => found(option, solanaWallet(wallet)));

/** @param {StandardWallet} wallet @returns {Wallet} */
export function solanaWallet(wallet) {
  const { features } = wallet;
  /** Its account on the chain, or nothing. @returns {StandardAccount | undefined} */
  function account() {
    try {
      return wallet.accounts.find(({ address, chains }) => typeof address === "string" && chains.includes(CHAIN));
    } catch {
      return undefined;
    }
  }
  return {
    source: wallet,
    async connect() {
      await features[CONNECT].connect().catch(refuse("wallet_failed"));
      const address = account()?.address;
      if (!address) throw new Problem(wallet.accounts.length ? "wrong_network" : "locked");
      return address;
    },
    async reconnect() {
      await features[CONNECT].connect({ silent: true });
      return account()?.address;
    },
    async send(transaction, from, sending) {
      const { sendSolana } = await load(() => import("./solana_send.js"));
      return sendSolana(wallet, account(), transaction, from, sending);
    },
    watch(changed) {
      features["standard:events"]?.on("change", () => changed(account()?.address || null));
    },
  };
}
