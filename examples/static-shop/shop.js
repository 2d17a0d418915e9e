// Opens the checkout above the page. The payment is made by a function of ours, which knows the prices and the secret key.

const news = document.getElementById("news");
const { key } = document.querySelector("main").dataset;

/** Makes a payment for a product; its id. */
async function fetchIntent(product) {
  const answer = await fetch("create-payment", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ product }),
  });
  if (!answer.ok) throw new Error("We cannot sell this right now.");
  return (await answer.json()).intent_id;
}

for (const button of document.querySelectorAll("[data-product]")) {
  button.addEventListener("click", () => {
    Causeway(key)
      .checkout({ fetchIntent: () => fetchIntent(button.dataset.product), appearance: { theme: "light" } })
      .on("settled", () => { news.textContent = "Paid. Your print is sent as soon as our server was told so too."; })
      .on("error", ({ message }) => { news.textContent = message; })
      .open();
  });
}
