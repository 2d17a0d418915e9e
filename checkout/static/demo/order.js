// Draws the order page anew when another request came about this order. It asks the shop, never the service.

const EVERY_MS = 1000;
const HIDDEN_MS = 5000;

const place = document.querySelector("[data-order]");
if (place instanceof HTMLElement && place.dataset.newsUrl) {
  const address = place.dataset.newsUrl;
  const known = Number(place.dataset.news);

  /** Whether something came since the page was drawn; a shop that cannot be reached has no news. */
  const hasNews = async () => {
    try {
      const answer = await fetch(address, { cache: "no-store" });
      return answer.ok && (await answer.json()).news !== known;
    } catch {
      return false;
    }
  };

  const look = async () => {
    if (await hasNews()) location.reload();
    else setTimeout(look, document.hidden ? HIDDEN_MS : EVERY_MS);
  };
  setTimeout(look, EVERY_MS);
}
