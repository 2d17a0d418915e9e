// What the shop's owner does in the dashboard of Medusa, without one: stock it, look at a cart's payments, give money back.
const {
  createApiKeysWorkflow,
  createProductsWorkflow,
  createRegionsWorkflow,
  createSalesChannelsWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
  refundPaymentWorkflow,
} = require("@medusajs/medusa/core-flows");

const steps = {
  async stock(scope) {
    const run = async (workflow, input) => (await workflow(scope).run({ input })).result;
    const [channel] = await run(createSalesChannelsWorkflow, { salesChannelsData: [{ name: "Web" }] });
    const [key] = await run(createApiKeysWorkflow, { api_keys: [{ title: "Web", type: "publishable", created_by: "" }] });
    await run(linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] });
    const [region] = await run(createRegionsWorkflow, {
      regions: [{ name: "US", currency_code: "usd", countries: ["us"], payment_providers: ["pp_causeway_causeway"] }],
    });
    const variant = { title: "Tea", manage_inventory: false, options: { Size: "One" }, prices: [{ amount: 19.99, currency_code: "usd" }] };
    const options = [{ title: "Size", values: ["One"] }];
    const [tea] = await run(createProductsWorkflow, {
      products: [{ title: "Tea", status: "published", sales_channels: [{ id: channel.id }], options, variants: [variant] }],
    });
    return { key: key.token, channel: channel.id, region: region.id, variant: tea.variants[0].id };
  },
  async look(scope, { cart }) {
    const { data } = await scope.resolve("query").graph({
      entity: "cart",
      fields: ["id", "completed_at", "total", "items.*", "order.id", "order.total", "payment_collection.*", "payment_collection.payment_sessions.*",
        "payment_collection.payments.*", "payment_collection.payments.captures.*", "payment_collection.payments.refunds.*"],
      filters: { id: cart },
    });
    return data[0];
  },
  async refund(scope, { payment_id, amount }) {
    await refundPaymentWorkflow(scope).run({ input: { payment_id, amount } });
    return {};
  },
};

module.exports = { POST: async (request, response) => response.json(await steps[request.query.step](request.scope, request.body)) };
