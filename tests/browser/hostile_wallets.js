/** Runs before the page: two honest wallets announce themselves, then every trick that an announcement can play. */

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = 1"><script>window.ran = 1</script><image href="https://evil.example/in.png"/></svg>`;
const ICONS = {
  huge: `data:image/png;base64,${"A".repeat(1024 * 1024)}`, garbage: "data:image/png;base64,garbage", http: "http://evil.example/a.png",
  https: "https://evil.example/b.png", relative: "//evil.example/c.png", script: "javascript:window.ran=1", page: "data:text/html,<script>window.ran=1</script>",
  live: `data:image/svg+xml,${encodeURIComponent(SVG)}`, object: { toString: () => "https://evil.example/d.png" },
};
const NAMES = { script: "<script>window.ran=1</script>", image: "<img src=x onerror=window.ran=1>", turned: "\u202Eylf\u2066 ti\u200B \u0000 tella\uFEFFw\u200D", long: "W".repeat(10_000), object: { toString: () => "Object" } };
const WALLET_ADDRESSES = { evm: `0x${"a1".repeat(20)}`, solana: "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9" };

/** What each wallet was asked, by name. */
window.asked = {};

const poison = (target = {}) => {
  const refuse = () => { throw new Error("poisoned"); };
  return new Proxy(target, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse });
};

const note = (wallet, what) => (window.asked[wallet] ??= []).push(what);

function provider(wallet, answers) {
  return { on() {}, request: ({ method }) => {
    note(wallet, method);
    return answers ? Promise.resolve([WALLET_ADDRESSES.evm]) : new Promise(() => {});
  } };
}

const evm = (uuid, name, icon = "", rdns = "io.hostile", own = provider(uuid)) => ({ info: { uuid, name, icon, rdns }, provider: own });

const shared = provider("shared");
const ofEvm = [
  evm("honest", "Honest wallet", "", "io.honest", provider("honest", true)),
  evm("silent", "Silent wallet"),
  ...Object.entries(ICONS).map(([kind, icon], place) => evm(`icon-${kind}`, Object.values(NAMES)[place] ?? `Icon ${kind}`, icon)),
  evm("rdns-number", "Rdns number", "", 7), evm("rdns-long", "Rdns long", "", "io.".repeat(3500)),
  evm("honest", "Impostor", "", "io.honest"), evm("twice", "Twice", "", "io.twice", shared), evm("again", "Again", "", "io.twice", shared),
  { info: poison(), provider: provider("poison") }, { info: { uuid: "p", name: "Poisoned provider" }, provider: poison() },
  evm(poison(), "Poisoned id"), Object.freeze({ info: Object.freeze({ ...evm("frozen", "Frozen").info }), provider: Object.freeze(provider("frozen")) }),
  { get info() { throw new Error("no"); }, provider: shared }, null, undefined, 7, "wallet", [], {}, { info: null, provider: null }, { info: {}, provider: { request: "no" } },
];

function standard(name, icon = "", more = {}) {
  const connect = () => {
    note(name, "connect");
    return new Promise(() => {});
  };
  return { version: "1.0.0", name, icon, chains: ["solana:mainnet"], accounts: [],
    features: { "standard:connect": { version: "1.0.0", connect }, "solana:signTransaction": { version: "1.0.0", signTransaction: connect } }, ...more };
}

const [again, malformed] = [standard("Sol twice"), [poison(), null, {}, 7, standard("No chains", "", { chains: null }), standard("No features", "", { features: poison() })]];
const ofSolana = [
  standard("Honest Sol"), standard(NAMES.script), standard("Sol https", ICONS.https), standard("Sol huge", ICONS.huge), standard("Sol garbage", ICONS.garbage),
  again, again, Object.freeze(standard("Sol frozen")), standard(poison()), ...malformed,
];

const announce = (detail) => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
window.addEventListener("eip6963:requestProvider", () => ofEvm.forEach(announce));
window.addEventListener("wallet-standard:app-ready", ({ detail }) => {
  for (const wallet of ofSolana) detail.register(wallet);
  detail.register(...malformed);
  const callbacks = [null, 7, () => { throw new Error("no"); }, (api) => api.register(poison(), null), poison(() => {})];
  for (const detail of callbacks) window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail }));
});
Object.defineProperty(window, "ethereum", { get() { throw new Error("poisoned"); } });
