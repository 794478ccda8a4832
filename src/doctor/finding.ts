import type { Config } from '../config/config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a check saw. `failed`: the service or its jobs will not work. `warning`: they do, for now or in part. */
export type Finding =
  | { readonly kind: 'ok'; readonly detail: string }
  | { readonly kind: 'warning'; readonly detail: string; readonly remedy: string }
  | { readonly kind: 'failed'; readonly detail: string; readonly remedy: string }
  /** Does not apply here. */
  | { readonly kind: 'skipped'; readonly detail: string };

/** What the service would be started with. */
export interface Subject {
  readonly config: Config;
  readonly env: Environment;
}

export const ok = (detail: string): Finding => ({ kind: 'ok', detail });
export const skipped = (detail: string): Finding => ({ kind: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ kind: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string): Finding => ({ kind: 'failed', detail, remedy });
