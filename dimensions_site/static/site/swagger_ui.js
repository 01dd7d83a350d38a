"use strict";

// Apart from the page, so that a content security policy may forbid scripts inside of it.
const shown = document.getElementById("swagger-ui").dataset;

// The head of an operation is a button, and a link inside of a button is out of reach for keyboards and screen readers.
// The address still follows the operation that is open.
const withoutLinksInButtons = ({ React }) => ({
  wrapComponents: {
    DeepLink: () => ({ text }) => React.createElement("span", null, text),
  },
});

const ui = SwaggerUIBundle({
  url: shown.document,
  dom_id: "#swagger-ui",
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  plugins: [withoutLinksInButtons],
  // Without this the document would be sent to a validator on the internet.
  validatorUrl: null,
  // Where somebody comes, in a window of its own, who has let this page act for him.
  oauth2RedirectUrl: new URL(shown.callback, location.href).href,
});
// The page of a browser keeps no secret: the code is worth nothing to whoever has not asked for it (PKCE).
ui.initOAuth({ usePkceWithAuthorizationCodeGrant: true });

// Swagger UI gives no names to these controls, and no focus to examples that scroll.
const names = [
  ["#servers", () => "Server"],
  [".examples-select-element", () => "Example"],
  ["textarea.body-param__text", () => "Request body"],
  ["select.content-type", () => "Media type"],
  [".close-modal", () => "Close"],
  ["tr[data-param-name] select, tr[data-param-name] input", (control) => control.closest("tr").dataset.paramName],
];
const complete = () => {
  for (const [selector, name] of names) {
    for (const control of document.querySelectorAll(selector)) {
      if (!control.ariaLabel) control.ariaLabel = name(control);
    }
  }
  for (const example of document.querySelectorAll("pre.microlight:not([tabindex])")) example.tabIndex = 0;
};
new MutationObserver(complete).observe(document.getElementById("swagger-ui"), { childList: true, subtree: true });
