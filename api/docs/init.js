"use strict";

// No deep links and no validator badge: the page asks this service alone.
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: false,
  validatorUrl: null,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  tryItOutEnabled: false,
});
