/** What stands in the panel once a wallet is chosen: tokens, the quote, the signing, the end. One function per panel. */

import { button, h, plain, walletPanel } from "../view.js";
import { formats, say } from "../words.js";
import { allInAll, atMost, quoteCard, routeList, tokenOption } from "./costs.js";
import { spenderOf, stepWords, tail } from "./phrases.js";
import { isConnected, isUnheard, sameToken, unsent } from "./reducer.js";

/** What says more when it takes long. @param {string} testid @param {string} text */
const slow = (testid, text) => plain(`p.wait@${testid}`, text, h("span", { "data-slow": Date.now() }));

/** @type {Of<PanelParts>} */
function tokens({ server: { wallet }, busy, locale }) {
  const { address, status, tokens } = /** @type {PayerWallet} */ (wallet);
  const head = plain("p.quiet.line", plain("bdi", tail(address)), button("link@change-wallet", "changeWallet", {}, say("changeWallet")));
  if (status === "looking") return [say("payWith"), head, slow("looking", say("looking"))];
  if (status === "failed") return [say("payWith"), head, plain("p", say("unreadable")), button("button@retry-balances", "balances", {}, say("tryAgain"))];
  const options = tokens.map((token) => tokenOption(token, Boolean(busy), formats(locale)));
  const enough = options.filter((_, place) => tokens[place].sufficient);
  const short = options.filter((_, place) => !tokens[place].sufficient);
  return [say("payWith"), head, plain("ul.options", ...enough), !tokens.length && plain("p", say("nothing")),
    short.length && h("details", { open: !enough.length && "" }, plain("summary", say("tooLittle", short.length)), plain("ul.options", ...short))];
}

/** @type {Of<PanelParts>} */
function quote(state) {
  const { busy, worsened, problem, quote, locale, server: { attempt, wallet } } = state;
  const format = formats(locale);
  const open = /** @type {Attempt} */ (attempt);
  const waiting = open.status === "quoting";
  const shown = waiting ? quote : open;
  if (!shown || !sameToken(shown, open)) return [say("yourPayment"), slow("quoting", say("quoting"))];
  const label = waiting ? say("refreshing") : isConnected(state) ? say("pay", atMost(shown, format)) : say("connectToPay", tail(wallet?.address || ""));
  return [say("yourPayment"), quoteCard(shown, format), worsened && plain("p.note@quote-worse", say("worsened", allInAll(worsened.was, format))),
    open.status === "awaiting_signature" && !problem && plain("p.note@elsewhere", say("elsewhere")),
    button("button.main@pay-button", "pay", { "aria-disabled": busy || waiting }, label),
    plain("p.quiet.line", say("before"), button("link@change-token", "changeToken", {}, say("changeToken"))), routeList(shown, format)];
}

/** @type {Of<PanelParts>} */
function sign(state) {
  const open = /** @type {Attempt} */ (state.server.attempt);
  const total = open.transactions.length;
  return [say("confirm"), quoteCard(open, formats(state.locale)),
    state.step || total ? plain("p.wait.now@sign-hint", state.step ? stepWords(state.step) : say("request", total - unsent(state).length + 1, total))
      : slow("sign-hint", say("preparing")),
    plain("p.quiet@keep-open", say("keepOpen")),
    button("link@cancel-attempt", "cancel", {}, say("cancel"))];
}

/** @type {Of<PanelParts>} */
const done = ({ leavingIn, server: { status, return_url } }) => [say(status === "settled" ? "receipt" : "after"),
  leavingIn && plain("p.line", plain("span@leaving"), button("link@stay-button", "stay", {}, say("stay"))),
  return_url && button("button.main@return-button", "leave", {}, say("goBack")), button("button@print-button", "print", {}, say("print"))];

/** @type {Record<Panel, Of<PanelParts>>} */
export const panels = {
  wallets: walletPanel, tokens, quote, sign, done,
  progress: (state) => isUnheard(state) ? [say("keepOpenTitle"), plain("p@keep-open", say("unheard"))] : [say("progress"), plain("p@safe-to-close", say("safe"))],
  doubt: () => [say("doubt"), plain("p@safe-to-close", say("doubtWhy"))],
};

/** @param {Allowance} open */
export const allowanceNote = (open) => plain("p.note.line@open-allowance", say("allowance", spenderOf(open), `${open.amount} ${open.token}`),
  button("link@revoke-button", "revoke", {}, say("revoke")));
