import { ModuleProvider, Modules } from "@medusajs/framework/utils";

import { CausewayProvider } from "./provider.js";

export { CausewayProvider, type CausewayOptions, type SessionData } from "./provider.js";

/** What `providers` of Medusa's payment module takes: `{ resolve: "causeway-medusa", id: "causeway", options }`. */
export default ModuleProvider(Modules.PAYMENT, { services: [CausewayProvider] });
