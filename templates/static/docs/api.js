// Starts Swagger UI on the description that this service serves. Keys stay in memory: nothing is stored.

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const place = document.getElementById("reference");
/** @type {any} */ (window).SwaggerUIBundle({
  url: place?.dataset.url,
  domNode: place,
  presets: [/** @type {any} */ (window).SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: false,
  validatorUrl: null,
});
