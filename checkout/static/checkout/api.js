/** Calls the payer API, renews its token, turns refusals into problems. */

import { Problem } from "./state.js";
import { problemOfAnswer } from "./words.js";

const RENEW_AFTER_MS = 600000;
/** For codes without words of their own. @type {Record<number, string>} */
const BY_STATUS = { 401: "session_ended", 403: "session_ended", 404: "gone", 409: "moved_on", 429: "busy_service" };

/** @param {Context} context */
export function createApi(context) {
  let etag = "";
  let actions = 0;
  let renewedAt = Date.now();

  /** @param {string} path @param {object} [body] @param {Record<string, string>} [headers] @returns {Promise<Response>} */
  const call = (path, body, headers) => fetch(`${context.api_base}/${path}`, {
    method: body ? "POST" : "GET", body: body && JSON.stringify(body), cache: "no-store",
    headers: { "Checkout-Token": context.checkout_token, "Checkout-Browser": context.browser, "Accept-Language": context.locale, ...(body && { "Content-Type": "application/json" }), ...headers },
  }).catch(() => { throw new Problem("unreachable"); });

  /** @param {Response} response @returns {Promise<any>} */
  async function read(response) {
    const body = await response.json().catch(() => ({}));
    if (response.ok) return body;
    const code = problemOfAnswer(body.code) || BY_STATUS[response.status] || (response.status < 500 ? "refused" : "unreachable");
    throw new Problem(code, body.request_id, Number(response.headers.get("Retry-After")) || 0);
  }

  /** A token lives 15 minutes and only a living one can be renewed. */
  async function renew() {
    context.checkout_token = (await read(await call("session", {}))).checkout_token;
    renewedAt = Date.now();
  }

  return {
    renew,
    /** Null when nothing changed or an action overtook the question. @returns {Promise<PayerState | null>} */
    async state() {
      if (Date.now() - renewedAt > RENEW_AFTER_MS) await renew();
      const asked = actions;
      const response = await call("state", undefined, etag ? { "If-None-Match": etag } : {});
      const server = response.status === 304 ? null : await read(response);
      if (asked !== actions) return null;
      etag = response.headers.get("ETag") || "";
      return server;
    },
    /** @param {string} action @param {object} body */
    async act(action, body) {
      const answer = await read(await call(action, body));
      actions += 1;
      etag = "";
      return answer;
    },
  };
}
