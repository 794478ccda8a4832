// Runs before the page is drawn, so that a dark page is never light for a moment. Mantine stores the choice under this name.
(() => {
  let kept;
  try {
    kept = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // The browser has no storage.
  }
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const scheme = kept === 'dark' || kept === 'light' ? kept : isDark ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();

// The network of a lab server may change while the page is loaded, because a lab starts. Then the page stays empty, and is loaded
// again, a few times at most. main.tsx resets the counter.
(() => {
  const [triesMost, firstPauseMs] = [3, 500];
  const loadAgain = () => {
    try {
      const tries = Number(sessionStorage.getItem('lab-api-loads'));
      if (tries >= triesMost) return;
      sessionStorage.setItem('lab-api-loads', String(tries + 1));
      setTimeout(() => location.reload(), firstPauseMs * 2 ** tries);
    } catch {
      // Without storage, the page could not count its attempts.
    }
  };
  // Load errors do not bubble. The browser requests failed preloads again when they are needed.
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
