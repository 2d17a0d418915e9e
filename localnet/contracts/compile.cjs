// Writes contracts.json: the run-time code of the contracts here, and Multicall3's as it was, since it is not ours.
const fs = require("node:fs");
const solc = require("solc");

const files = fs.readdirSync(".").filter((name) => name.endsWith(".sol")).sort();
const input = {
  language: "Solidity",
  sources: Object.fromEntries(files.map((name) => [name, { content: fs.readFileSync(name, "utf8") }])),
  settings: {
    viaIR: true,
    optimizer: { enabled: true, runs: 200 },
    evmVersion: "paris",
    metadata: { bytecodeHash: "none", appendCBOR: false },
    outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
if (output.errors) throw new Error(output.errors.map((error) => error.formattedMessage).join("\n"));
const { Multicall3 } = JSON.parse(fs.readFileSync("contracts.json", "utf8"));
const written = { Multicall3 };
for (const contracts of Object.values(output.contracts)) {
  for (const [name, contract] of Object.entries(contracts)) {
    const runtime = contract.evm.deployedBytecode.object;
    if (runtime.length > 200) written[name] = { abi: contract.abi, runtime: "0x" + runtime };
  }
}
const lines = Object.keys(written).sort().map((name) => `${JSON.stringify(name)}: ${JSON.stringify(written[name])}`);
fs.writeFileSync("contracts.json", "{\n" + lines.join(",\n") + "\n}\n");
