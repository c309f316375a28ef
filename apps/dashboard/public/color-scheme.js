// Sets the colour scheme before the first paint, so that the page never flashes. It is a separate file because the CSP forbids inline scripts.
(function () {
  var scheme;
  try {
    scheme = localStorage.getItem('mantine-color-scheme-value');
  } catch (error) {
    scheme = null;
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
