"use strict";

// Apart from the page, so that a content security policy may forbid scripts inside of it.
const shown = document.getElementById("swagger-ui").dataset;
const ui = SwaggerUIBundle({
  url: shown.document,
  dom_id: "#swagger-ui",
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  // Without this the document would be sent to a validator on the internet.
  validatorUrl: null,
  // Where somebody comes, in a window of its own, who has let this page act for him.
  oauth2RedirectUrl: new URL(shown.callback, location.href).href,
});
// The page of a browser keeps no secret: the code is worth nothing to whoever has not asked for it (PKCE).
ui.initOAuth({ usePkceWithAuthorizationCodeGrant: true });
