// Before the first paint, so that the page never flashes in the other scheme. A file of its own: the CSP allows no inline script.
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
