"use strict";

// Apart from the page, so that a content security policy may forbid scripts inside of it.
SwaggerUIBundle({
  url: document.getElementById("swagger-ui").dataset.document,
  dom_id: "#swagger-ui",
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  // Without this the document would be sent to a validator on the internet.
  validatorUrl: null,
});
