/** Numbers as Ethereum's interface writes them. Source: EIP-1474. */

/** @param {string | number} value */
export const hex = (value) => `0x${BigInt(value).toString(16)}`;
