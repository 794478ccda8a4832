/* Shows the description of this very server. In a file of its own: the content security policy allows no inline script. */
const reference = document.getElementById('reference');

globalThis.SwaggerUIBundle({
  domNode: reference,
  url: reference.dataset.document,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  showCommonExtensions: true,
  syntaxHighlight: { theme: 'nord' },
  // Nothing leaves the server that the page is on.
  validatorUrl: null,
});
