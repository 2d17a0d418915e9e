/** Lends the wallets of a merchant's page to the embedded checkout: what they are as data, and the few requests that are allowed. */

const CONNECT = "standard:connect";
const TYPED_DATA = "eth_signTypedData_v4";
const REFUSED = 4200;
/** All that a wallet is asked for a frame. It never signs a text. */
const EVM = [
  "eth_requestAccounts", "eth_accounts", "eth_chainId", "eth_call", "eth_getTransactionReceipt", "eth_sendTransaction", "wallet_switchEthereumChain",
  "wallet_addEthereumChain", "wallet_getCapabilities", "wallet_sendCalls", "wallet_getCallsStatus",
];
const SOLANA = [CONNECT, "solana:signTransaction", "solana:signAndSendTransaction"];

/** The page's wallets, for all checkouts on it. @type {{wallet: any, data: any}[]} */
const wallets = [];
/** @type {Set<MessagePort>} */
const ports = new Set();

/** Data and nothing else. @param {unknown} value @returns {any} */
const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

/** @param {{accounts: readonly any[]}} wallet @returns {object[]} */
const accountsOf = ({ accounts }) => plain(accounts.map(({ address, chains }) => ({ address, chains })));

/** @param {object} message */
const tell = (message) => ports.forEach((port) => port.postMessage({ v: 1, ...message }));

/** What is malformed is nobody's. @param {(value: any) => unknown} step @returns {(value: any) => void} */
const careful = (step) => (value) => {
  try {
    step(value);
  } catch {
    // The wallet's own fault, and its loss.
  }
};

/** @param {"evm" | "solana"} family @param {any} wallet @param {any} info */
function note(family, wallet, { name, icon, rdns }) {
  if (wallets.some((known) => known.wallet === wallet)) return;
  const { chains, features = {} } = wallet;
  const id = `${family}-${wallets.length}`;
  const data = plain({ id, family, name, icon, rdns, chains, features: Object.keys(features) });
  wallets.push({ wallet, data });
  tell({ type: "wallets", wallets: [data] });
  /** @param {string} event @param {(value: unknown) => unknown} [read] */
  const forward = (event, read = plain) => careful((value) => tell({ type: "walletEvent", wallet: id, event, value: read(value) }));
  if (family === "solana") features["standard:events"]?.on("change", forward("change", () => accountsOf(wallet)));
  else for (const event of ["accountsChanged", "chainChanged"]) wallet.on?.(event, forward(event));
}

/** Asks by both standards; who comes later is heard too. */
function discover() {
  addEventListener("eip6963:announceProvider", careful(({ detail: { info, provider } }) => note("evm", provider, info)));
  dispatchEvent(new Event("eip6963:requestProvider"));
  const { ethereum } = /** @type {any} */ (window);
  if (!wallets.length && ethereum) careful((provider) => note("evm", provider, { name: "Browser wallet" }))(ethereum);
  /** @param {any[]} found */
  const register = (...found) => {
    found.forEach(careful((wallet) => note("solana", wallet, wallet)));
    return () => {};
  };
  const detail = Object.freeze({ register });
  addEventListener("wallet-standard:register-wallet", careful((event) => event.detail(detail)));
  dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail }));
}

/** @param {{wallet: string, method: string, params: any[]}} request @param {CheckoutOptions} options */
async function ask({ wallet: id, method, params }, { typedData }) {
  const { wallet, data } = wallets.find((known) => known.data.id === id) || {};
  const allowed = data?.family === "solana" ? SOLANA : typedData ? [...EVM, TYPED_DATA] : EVM;
  if (!data || !allowed.includes(method) || !Array.isArray(params)) throw { code: REFUSED, message: "Not allowed" };
  if (allowed !== SOLANA) return plain(await wallet.request({ method, params }));
  const [input] = params;
  const account = wallet.accounts.find((/** @type {any} */ { address }) => address === input?.account?.address);
  const result = await wallet.features[method][method.split(":")[1]]({ ...input, account });
  return method === CONNECT ? accountsOf(wallet) : result;
}

/** @param {unknown} reason */
function failure(reason) {
  const { code, message, data } = /** @type {any} */ (reason || {});
  return { code: Number(data?.originalError?.code ?? code), message: String(message).slice(0, 500) };
}

/** Lends them over the port of one frame. @param {MessagePort} port @param {CheckoutOptions} options */
export function serve(port, options) {
  if (!ports.size) discover();
  ports.add(port);
  port.postMessage({ v: 1, type: "wallets", wallets: wallets.map(({ data }) => data) });
  port.addEventListener("message", ({ data }) => {
    if (data?.v !== 1 || data.type !== "request") return;
    const answer = (/** @type {object} */ said) => port.postMessage({ v: 1, type: "answer", id: data.id, ...said });
    ask(data, options).then((result) => answer({ result })).catch((reason) => answer({ error: failure(reason) }));
  });
}
