/** Has an EVM wallet sign the authorization that the service made (EIP-712). Loaded where a token takes one. */

import { Problem } from "/static/checkout/state.js";
import { refuse } from "/static/checkout/wallets/refusals.js";
import { senderOf } from "/static/checkout/wallets/sender.js";

/** @param {Wallet} wallet @param {string} from @param {Sight["unsigned"]} unsigned @returns {Promise<string>} */
export async function authorize({ source }, from, { chain_id, typed_data }) {
  const provider = /** @type {Eip1193Provider} */ (source);
  /** @type {Ask} */
  const ask = async (method, params) => provider.request({ method, params });
  await senderOf(ask, from, Number(chain_id)).ready();
  const signature = await ask("eth_signTypedData_v4", [from, JSON.stringify(typed_data)]).catch(refuse("wallet_failed"));
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) throw new Problem("wallet_failed");
  return signature;
}
