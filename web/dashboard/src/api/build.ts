/** Detects that the service was updated while the page was open, and serves another build of the page. */
import { basePath } from './service.ts';
import { Store } from './store.ts';

export const hasNewBuild = new Store(false);

/** The build of this page; undefined for the development server. */
export const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="lab-api-build"]')?.content;

/**
 * Compares the build of the service with this one. Does nothing when the service does not answer: the next connection compares again.
 */
export async function compareBuild(): Promise<void> {
  if (ownBuild === undefined || hasNewBuild.get()) return;
  const response = await fetch(`${basePath}/ui/build.json`, { cache: 'no-store' }).catch(() => undefined);
  if (!response?.ok) return;
  const { build } = (await response.json().catch(() => ({}))) as { readonly build?: unknown };
  if (typeof build === 'string' && build !== ownBuild) hasNewBuild.set(true);
}

/** A part of the page that cannot be loaded may be missing since an update. Returns a function that stops the check. */
export function watchMissingParts(): () => void {
  const look = (): void => void compareBuild();
  window.addEventListener('vite:preloadError', look);
  return () => window.removeEventListener('vite:preloadError', look);
}
