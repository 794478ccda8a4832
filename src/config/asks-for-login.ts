import type { Config } from './config.ts';

/** Whether there are users at all. Without any, whoever reaches the service may do everything. */
export function asksForLogin({ auth, usersFile }: Pick<Config, 'auth' | 'usersFile'>): boolean {
  return auth !== undefined || usersFile !== undefined;
}
