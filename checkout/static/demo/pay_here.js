// Shows the checkout in the shop's page. What it tells is only shown: the order goes on by webhook, and by nothing else.

const EVERY_MS = 1000;
const place = document.querySelector("[data-intent]");
const told = document.querySelector("[data-events]");

if (place instanceof HTMLElement && told) {
  const { key, intent, newsUrl = "", orderUrl = "" } = place.dataset;

  const look = async () => {
    try {
      const answer = await fetch(newsUrl, { cache: "no-store" });
      if (answer.ok && (await answer.json()).over) return location.assign(orderUrl);
    } catch {
      // A shop that cannot be reached has no news.
    }
    setTimeout(look, EVERY_MS);
  };

  const checkout = window.Causeway(key).checkout({ intentId: intent });
  for (const name of ["ready", "wallet", "quoted", "processing", "settled", "failed", "expired", "cancelled", "error"]) {
    checkout.on(name, (event) => {
      const line = document.createElement("li");
      line.textContent = `${event.seq}. ${name}${event.status ? `: ${event.status}` : ""}${event.message ? `: ${event.message}` : ""}`;
      told.append(line);
    });
  }
  checkout.mount(place);
  setTimeout(look, EVERY_MS);
}
