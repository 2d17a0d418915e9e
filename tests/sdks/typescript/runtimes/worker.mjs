/** For workerd: the address and the key are bindings. */

import { story } from "./story.mjs";

export default {
  fetch: async (request, { baseUrl, apiKey }) =>
    story({ baseUrl, apiKey }).then((told) => new Response(told), (error) => new Response(error.stack, { status: 500 })),
};
