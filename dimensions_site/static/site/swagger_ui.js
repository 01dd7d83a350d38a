"use strict";

// A file of its own, because the content security policy forbids scripts inside the page.
const shown = document.getElementById("swagger-ui").dataset;

// The head of an operation is a button; keyboards and screen readers cannot reach a link inside a button.
// The address of the page still names the open operation.
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
  // After consent, a user returns to this URL in a window of its own.
  oauth2RedirectUrl: new URL(shown.callback, location.href).href,
});
// A page keeps no secret; with PKCE, only the page that requested the code can use it.
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
