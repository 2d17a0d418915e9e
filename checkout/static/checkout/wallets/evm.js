/** EVM wallets: found by EIP-6963, spoken to by EIP-1193. Builds no transactions. */

import { Problem, announced, sameAddress } from "../state.js";

/** To add a network: name, node, coin. @type {Record<number, string[]>} */
const NETWORKS = {
  1: ["Ethereum", "https://ethereum-rpc.publicnode.com", "ETH"],
  10: ["OP Mainnet", "https://mainnet.optimism.io", "ETH"],
  56: ["BNB Smart Chain", "https://bsc-dataseed.bnbchain.org", "BNB"],
  137: ["Polygon", "https://polygon-rpc.com", "POL"],
  8453: ["Base", "https://mainnet.base.org", "ETH"],
  42161: ["Arbitrum One", "https://arb1.arbitrum.io/rpc", "ETH"],
};

/** @type {Record<number, string>} */
const CODES = {
  4001: "declined", 4100: "locked", 4200: "wallet_failed", 4900: "wallet_failed", 4901: "wallet_failed", 4902: "unknown_network",
  [-32002]: "request_pending", [-32003]: "no_gas",
};

/** @param {Found} found */
export function discoverEvm(found) {
  const known = new Set();
  window.addEventListener("eip6963:announceProvider", (event) => {
    try {
      const { info, provider } = /** @type {CustomEvent} */ (event).detail;
      if (typeof provider.request !== "function" || known.has(provider)) return;
      found(announced("evm", info, info.uuid), evmWallet(provider));
      known.add(provider);
    } catch {
      // Malformed: nobody's wallet.
    }
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  const { ethereum } = /** @type {any} */ (window);
  if (!known.size && ethereum?.request) found(announced("evm", { name: "Browser wallet" }, "injected"), evmWallet(ethereum));
}

/** @param {Eip1193Provider} provider @returns {Wallet} */
export function evmWallet(provider) {
  /** @type {Ask} */
  const ask = async (method, params) => provider.request({ method, params });
  return {
    source: provider,
    async connect() {
      const [address] = (await ask("eth_requestAccounts").catch(refuse("wallet_failed"))) || [];
      if (!address) throw new Problem("locked");
      return address;
    },
    reconnect: () => ask("eth_accounts").then((accounts) => accounts?.[0]),
    async send({ request, chain_id }, from) {
      const { to = "", data = "0x", value = 0 } = request || {};
      const [address] = (await ask("eth_accounts").catch(refuse("wallet_failed"))) || [];
      if (!sameAddress(address, from)) throw new Problem(address ? "account_changed" : "locked");
      const chainId = hex(Number(chain_id));
      await useChain(ask, chainId);
      const tx_hash = await ask("eth_sendTransaction", [{ from, to, data, value: hex(value), chainId }]).catch(refuse("wallet_unclear"));
      if (!/^0x[0-9a-f]{64}$/i.test(tx_hash)) throw new Problem("wallet_unclear");
      return { tx_hash };
    },
    watch(changed) {
      provider.on?.("accountsChanged", (accounts) => changed(accounts?.[0]));
    },
  };
}

/** @param {string | number} value */
const hex = (value) => `0x${BigInt(value).toString(16)}`;

/** Changes the chain, and reads back that it is so. @param {Ask} ask @param {string} chainId */
async function useChain(ask, chainId) {
  const elsewhere = async () => Number(await ask("eth_chainId").catch(refuse("wallet_failed"))) !== Number(chainId);
  const change = () => ask("wallet_switchEthereumChain", [{ chainId }]);
  if (!(await elsewhere())) return;
  await change().catch(async (error) => {
    const [chainName, node, symbol] = NETWORKS[Number(chainId)] || [];
    if (codeOf(error) !== 4902 || !node) throw error;
    const nativeCurrency = { name: symbol, symbol, decimals: 18 };
    await ask("wallet_addEthereumChain", [{ chainId, chainName, rpcUrls: [node], nativeCurrency }]);
    if (await elsewhere()) await change();
  }).catch((error) => {
    const { code } = problemOf(error, "wrong_network");
    throw new Problem(code === "declined" ? "wrong_network" : code);
  });
  if (await elsewhere()) throw new Problem("wrong_network");
}

/** @param {any} error */
const codeOf = (error) => Number(error?.data?.originalError?.code ?? error?.code);

/** @param {string} otherwise @returns {(error: unknown) => never} */
export const refuse = (otherwise) => (error) => { throw problemOf(error, otherwise); };

/** @param {any} error @param {string} otherwise */
export function problemOf(error, otherwise) {
  const text = String(error?.message);
  const guess = /insufficient/i.test(text) ? "no_gas" : /user (rejected|denied|declined|cancel)/i.test(text) ? "declined" : otherwise;
  return error instanceof Problem ? error : new Problem(CODES[codeOf(error)] || guess);
}
