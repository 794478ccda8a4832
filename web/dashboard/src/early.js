// Runs before the page is drawn, so that whoever has chosen dark never sees it light for a moment. Mantine keeps the choice
// under this name, and looks for it here.
(() => {
  let kept;
  try {
    kept = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // A browser that keeps nothing.
  }
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const scheme = kept === 'dark' || kept === 'light' ? kept : isDark ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
