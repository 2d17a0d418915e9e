const { POST } = require("causeway-medusa/hook");

module.exports = { POST };
