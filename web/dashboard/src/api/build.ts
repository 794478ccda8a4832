/** Whether the service has another build of the page than this one: it was updated while the page was open. */
import { basePath } from './service.ts';
import { Store } from './store.ts';

export const hasNewBuild = new Store(false);

/** Of this page; undefined while one works on it, with files that no build has made. */
export const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="lab-api-build"]')?.content;

/** Looks which build the service has. Does nothing when it does not answer: the next connection asks again. */
export async function compareBuild(): Promise<void> {
  if (ownBuild === undefined || hasNewBuild.get()) return;
  const response = await fetch(`${basePath}/ui/build.json`, { cache: 'no-store' }).catch(() => undefined);
  if (!response?.ok) return;
  const { build } = (await response.json().catch(() => ({}))) as { readonly build?: unknown };
  if (typeof build === 'string' && build !== ownBuild) hasNewBuild.set(true);
}

/** A part of the page that cannot be loaded may be gone with an update. The result ends that. */
export function watchMissingParts(): () => void {
  const look = (): void => void compareBuild();
  window.addEventListener('vite:preloadError', look);
  return () => window.removeEventListener('vite:preloadError', look);
}
