// Shows the checkout of the payment that the address names: index.html?intent=<id of the payment intent>.

const place = document.getElementById("checkout");
const news = document.getElementById("news");
const intentId = new URLSearchParams(location.search).get("intent");

if (intentId) {
  Causeway(place.dataset.key)
    .checkout({ intentId })
    .on("processing", () => { news.textContent = "Your payment is on its way."; })
    .on("settled", () => { news.textContent = "Paid. We write to you as soon as our server was told so too."; })
    .on("error", ({ message }) => { news.textContent = message; })
    .mount(place);
} else {
  news.textContent = "Please open the link from your invoice.";
}
