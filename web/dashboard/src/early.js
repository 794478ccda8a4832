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

// A network that changes while the page is loaded, as it does on a lab server whenever a lab starts, leaves it empty: it is
// loaded again, a few times at most. What has begun forgets how often that was (main.tsx).
(() => {
  const [triesMost, firstPauseMs] = [3, 500];
  const loadAgain = () => {
    try {
      const tries = Number(sessionStorage.getItem('lab-api-loads'));
      if (tries >= triesMost) return;
      sessionStorage.setItem('lab-api-loads', String(tries + 1));
      setTimeout(() => location.reload(), firstPauseMs * 2 ** tries);
    } catch {
      // A browser that keeps nothing could not tell when to stop.
    }
  };
  // Events about what is loaded do not bubble. Scripts that are asked for ahead are asked for once more when they are wanted.
  addEventListener(
    'error',
    ({ target }) => {
      const isNeeded =
        target instanceof HTMLScriptElement ||
        (target instanceof HTMLLinkElement && target.rel === 'stylesheet');
      if (isNeeded && document.getElementById('page')?.querySelector('noscript')) loadAgain();
    },
    { capture: true },
  );
})();
