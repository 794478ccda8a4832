import type { Config } from '../config/config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The result of a check. `failed`: the service or its jobs will not work. `warning`: they work for now or in part. */
export type Finding =
  | { readonly kind: 'ok'; readonly detail: string }
  | { readonly kind: 'warning'; readonly detail: string; readonly remedy: string }
  | { readonly kind: 'failed'; readonly detail: string; readonly remedy: string }
  /** Does not apply here. */
  | { readonly kind: 'skipped'; readonly detail: string };

/** The settings that the service would start with. */
export interface Subject {
  readonly config: Config;
  readonly env: Environment;
}

export const ok = (detail: string): Finding => ({ kind: 'ok', detail });
export const skipped = (detail: string): Finding => ({ kind: 'skipped', detail });
export const warning = (detail: string, remedy: string): Finding => ({ kind: 'warning', detail, remedy });
export const failed = (detail: string, remedy: string): Finding => ({ kind: 'failed', detail, remedy });
