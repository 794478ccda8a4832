import { lazy, type ComponentType } from 'react';
import { hasNewBuild } from '../api/build.ts';

const triesMost = 6;
const firstPauseMs = 250;

async function persistently<T>(load: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load();
    } catch (error) {
      // After an update of the service, the file is gone for good.
      if (tries === triesMost || hasNewBuild.get()) throw error;
      await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** tries));
    }
  }
}

/**
 * A part of the page that is loaded on first use. The network of a lab server may change at that moment, because a lab starts:
 * loading is retried before it fails.
 */
export function late<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): ReturnType<typeof lazy<ComponentType<Props>>> {
  return lazy(async () => persistently(load));
}
