/** Solana wallets: found and spoken to by the Wallet Standard's own events and features. Builds no transactions. */

import { Problem, announced } from "../state.js";
import { refuse } from "./evm.js";

const CHAIN = "solana:mainnet";
const CONNECT = "standard:connect";
const SEND = "solana:signAndSendTransaction";
const SIGN = "solana:signTransaction";
export const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

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
    async send({ transaction_base64 = "" }, from) {
      const payer = account();
      if (payer?.address !== from) throw new Problem(payer ? "account_changed" : "locked");
      const transaction = Uint8Array.from(atob(transaction_base64), (letter) => letter.charCodeAt(0));
      const input = { account: payer, chain: CHAIN, transaction, options: { preflightCommitment: "confirmed" } };
      if (!features[SEND]) return signOnly(features[SIGN], input);
      const [{ signature }] = await features[SEND].signAndSendTransaction(input).catch(refuse("wallet_unclear"));
      return { tx_hash: base58(signature) };
    },
    watch(changed) {
      features["standard:events"]?.on("change", () => changed(account()?.address || null));
    },
  };
}

/** The service sends what such a wallet signs. @param {any} feature @param {object} input */
async function signOnly(feature, input) {
  const [{ signedTransaction }] = await feature.signTransaction(input).catch(refuse("wallet_failed"));
  return { tx_hash: base58(signedTransaction.slice(1, 65)), signed_transaction: btoa(String.fromCharCode(...signedTransaction)) };
}

/** @param {Uint8Array} bytes */
export function base58(bytes) {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; number > 0n; number /= 58n) text = BASE58[Number(number % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte > 0);
  return "1".repeat(zeros < 0 ? bytes.length : zeros) + text;
}
