// Two wallets that announce themselves by the standards and ask the test what to answer: it holds the keys.
(() => {
  if (window !== window.top) return; // as most wallets: none in a frame
  const ask = async (family, method, params) => {
    const { error, result } = await window.askWallet(family, method, params);
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  };
  const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Cpath fill='%23345' d='M0 0h8v8H0z'/%3E%3C/svg%3E";

  const info = { uuid: "7e570000-0000-4000-8000-00000000e100", name: "Signing wallet", icon, rdns: "wallet.signs.evm" };
  const provider = { request: ({ method, params = [] }) => ask("evm", method, params), on: () => {} };
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
  window.addEventListener("eip6963:requestProvider", announce);

  const [version, chains] = ["1.0.0", ["solana:mainnet"]];
  let accounts = [];
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const wallet = {
    version, name: "Signing Solana wallet", icon, chains,
    get accounts() { return accounts; },
    features: {
      "standard:connect": { version, connect: async () => {
        accounts = [{ address: await ask("solana", "connect", []), chains, features: ["solana:signTransaction"] }];
        return { accounts };
      } },
      "standard:events": { version, on: () => () => {} },
      "solana:signTransaction": { version, supportedTransactionVersions: ["legacy", 0], signTransaction: async ({ transaction }) =>
        [{ signedTransaction: bytes(await ask("solana", "sign", [btoa(String.fromCharCode(...transaction))])) }] },
    },
  };
  window.addEventListener("wallet-standard:app-ready", ({ detail }) => detail.register(wallet));
})();
