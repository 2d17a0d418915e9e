const { defineConfig } = require("@medusajs/framework/utils");

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { storeCors: "*", adminCors: "*", authCors: "*", jwtSecret: "of-one-test", cookieSecret: "of-one-test" },
  },
  modules: [
    {
      resolve: "@medusajs/medusa/payment",
      options: { webhook_delay: 10, providers: [{ resolve: "causeway-medusa", id: "causeway", options: {} }] },
    },
  ],
});
