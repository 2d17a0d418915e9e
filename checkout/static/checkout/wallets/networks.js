/** Written by `make networks` from chains/networks. By id: name, node, coin; see EIP-3085. */
/** @type {Record<number, string[]>} */
export const NETWORKS = {
  1: ["Ethereum", "https://ethereum-rpc.publicnode.com", "ETH"],
  8453: ["Base", "https://mainnet.base.org", "ETH"],
  42161: ["Arbitrum One", "https://arb1.arbitrum.io/rpc", "ETH"],
  10: ["OP Mainnet", "https://mainnet.optimism.io", "ETH"],
  137: ["Polygon", "https://polygon-rpc.com", "POL"],
  56: ["BNB Smart Chain", "https://bsc-dataseed.bnbchain.org", "BNB"],
};
