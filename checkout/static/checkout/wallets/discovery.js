/** Finds wallets by the standards' own events, and keeps of each what is safe. Speaks to none: that comes with a press. */

import { say } from "../words.js";

const NAME_LENGTH = 32;
const ICON_LENGTH = 65536;
const INJECTED = "injected";
export const CHAIN = "solana:mainnet";
export const CONNECT = "standard:connect";
export const SEND = "solana:signAndSendTransaction";
export const SIGN = "solana:signTransaction";

/** EIP-6963, else the one provider that is injected. @param {(option: WalletOption, provider: Eip1193Provider) => void} found */
export function findEvm(found) {
  const known = new Set();
  window.addEventListener("eip6963:announceProvider", (event) => {
    try {
      const { info, provider } = /** @type {CustomEvent} */ (event).detail;
      if (typeof provider.request !== "function" || known.has(provider)) return;
      found(announced("evm", info, info.uuid), provider);
      known.add(provider);
    } catch {
      // Malformed: nobody's wallet.
    }
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  try {
    const { ethereum } = /** @type {any} */ (window);
    if (!known.size && ethereum?.request) found(announced("evm", { name: say("browserWallet") }, INJECTED), ethereum);
  } catch {
    // Poisoned: nobody's wallet.
  }
}

/** Wallet Standard. @param {(option: WalletOption, wallet: StandardWallet) => void} found */
export function findSolana(found) {
  /** Their names as they were announced: a wallet may answer otherwise later. @type {Map<StandardWallet, string>} */
  const known = new Map();
  /** @param {StandardWallet} wallet */
  function note(wallet) {
    const { chains, features, name } = wallet;
    if (known.has(wallet) || !chains.includes(CHAIN) || !features[CONNECT] || !(features[SEND] || features[SIGN])) return;
    const twins = [...known.values()].filter((other) => other === name).length;
    found(announced("solana", wallet, twins ? `${name}#${twins}` : name), wallet);
    known.set(wallet, name);
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
  window.addEventListener("wallet-standard:register-wallet", (event) => {
    try {
      /** @type {CustomEvent} */ (event).detail(detail);
    } catch {
      // Malformed: nobody's wallet.
    }
  });
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail }));
}

/** Copies what is safe of an announcement. Why each value is read once: it may answer otherwise the next time. @param {Family} family @param {any} info @param {unknown} id @returns {WalletOption} */
export function announced(family, { rdns, name, icon }, id) {
  const origin = typeof rdns === "string" && /^[a-z0-9.-]{3,64}$/i.test(rdns) ? rdns : "";
  return { id: `${family}:${String(id).slice(0, 80)}`, family, name: cleanName(name), icon: cleanIcon(icon), origin, usable: true };
}

/** One short line without control, direction or invisible characters, or piles of accents. @param {unknown} value */
export function cleanName(value) {
  const text = typeof value === "string" ? value.slice(0, 400) : "";
  const letters = [...text.normalize().replace(/\s+/g, " ").replace(/\p{C}|\p{M}{3,}/gu, "").trim()];
  return letters.length > NAME_LENGTH ? letters.slice(0, NAME_LENGTH - 1).join("") + "…" : letters.join("");
}

/** An image that carries itself, or nothing. @param {unknown} value */
export function cleanIcon(value) {
  const icon = typeof value === "string" && value.length <= ICON_LENGTH ? value.trim() : "";
  return /^data:image\/(png|svg\+xml|webp|gif|jpeg)[;,]/i.test(icon) ? icon : "";
}
