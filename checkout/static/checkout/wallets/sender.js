/** One account on one chain of an EVM wallet: both are read back before anything is sent. */

import { Problem, sameAddress } from "../state.js";
import { NETWORKS } from "./networks.js";
import { hex } from "./quantity.js";
import { codeOf, problemOf, refuse } from "./refusals.js";

/** One account on one chain of a wallet. @param {Ask} ask @param {string} from @param {number} chain @returns {Sender} */
export function senderOf(ask, from, chain) {
  const chainId = hex(chain);
  return {
    ask, from, chainId,
    async ready() {
      const [address] = (await ask("eth_accounts").catch(refuse("wallet_failed"))) || [];
      if (!sameAddress(address, from)) throw new Problem(address ? "account_changed" : "locked");
      await useChain(ask, chainId);
    },
    async send({ to, data, value }) {
      const tx_hash = await ask("eth_sendTransaction", [{ from, to, data, value: hex(value), chainId }]).catch(refuse("wallet_unclear"));
      if (typeof tx_hash !== "string" || !/^0x[0-9a-f]{64}$/i.test(tx_hash)) throw new Problem("wallet_unclear");
      return tx_hash;
    },
  };
}

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
