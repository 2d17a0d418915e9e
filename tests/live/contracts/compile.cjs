// Writes contracts.json: the run-time code of the test contracts, and Multicall3's as it was, since it is not ours.
const fs = require("node:fs");
const solc = require("solc");

const input = {
  language: "Solidity",
  sources: { "TestToken.sol": { content: fs.readFileSync("TestToken.sol", "utf8") } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: "paris",
    metadata: { bytecodeHash: "none", appendCBOR: false },
    outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
if (output.errors) throw new Error(output.errors.map((error) => error.formattedMessage).join("\n"));
const written = JSON.parse(fs.readFileSync("contracts.json", "utf8"));
for (const [name, contract] of Object.entries(output.contracts["TestToken.sol"])) {
  written[name] = { abi: contract.abi, runtime: "0x" + contract.evm.deployedBytecode.object };
}
fs.writeFileSync("contracts.json", JSON.stringify(written, null, 1) + "\n");
