/** Solana wallets: found and spoken to by the Wallet Standard's own events and features. Builds no transactions. */

import { Problem, announced, load } from "../state.js";
import { refuse } from "./evm.js";

export const CHAIN = "solana:mainnet";
const CONNECT = "standard:connect";
export const SEND = "solana:signAndSendTransaction";
export const SIGN = "solana:signTransaction";

/** @param {Found} found */
export function discoverSolana(found) {
  /** @type {StandardWallet[]} */
  const known = [];
  /** @param {StandardWallet} wallet */
  function note(wallet) {
    const { chains, features, name } = wallet;
    if (known.includes(wallet) || !chains.includes(CHAIN) || !features[CONNECT] || !(features[SEND] || features[SIGN])) return;
    const twins = known.filter((other) => other.name === name).length;
    found(announced("solana", wallet, twins ? `${name}#${twins}` : name), solanaWallet(wallet));
    known.push(wallet);
  }
  /** @param {StandardWallet[]} wallets */
  const register = (...wallets) => {
    for (const wallet of wallets) {
      try {
        note(wallet);
      } catch {
        // Malformed: nobody's wallet.
      }
    }
    return () => {};
  };
  const detail = Object.freeze({ register });
  window.addEventListener("wallet-standard:register-wallet", (event) => /** @type {CustomEvent} */ (event).detail(detail));
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail }));
}

/** @param {StandardWallet} wallet @returns {Wallet} */
export function solanaWallet(wallet) {
  const { features } = wallet;
  const account = () => wallet.accounts.find(({ chains }) => chains.includes(CHAIN));
  return {
    source: wallet,
    async connect() {
      await features[CONNECT].connect().catch(refuse("wallet_failed"));
      const address = account()?.address;
      if (!address) throw new Problem("locked");
      return address;
    },
    reconnect: () => features[CONNECT].connect({ silent: true }).then(() => account()?.address),
    async send(transaction, from, sending) {
      const { sendSolana } = await load(() => import("./solana_send.js"));
      return sendSolana(wallet, account(), transaction, from, sending);
    },
    watch(changed) {
      features["standard:events"]?.on("change", () => changed(account()?.address || null));
    },
  };
}
