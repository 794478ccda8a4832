/** The status of a container as Docker prints it: `Up 4 seconds`. */
import type { RoughTime } from './status-driver.ts';

const unitMs: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  year: 31_536_000_000,
};

/** When the container started. Docker rounds (go-units, HumanDuration): `Less than a second`, `About an hour`, `47 hours`. */
export function upSince(status: unknown, printedAtMs: number): RoughTime | null {
  const pattern = /^up (?:(\d+)|about an?|less than a) (second|minute|hour|day|week|month|year)s?\b/i;
  const [, count = '1', unit = ''] = (typeof status === 'string' && pattern.exec(status)) || [];
  const withinMs = unitMs[unit.toLowerCase()];
  return withinMs === undefined ? null : { atMs: printedAtMs - Number(count) * withinMs, withinMs };
}
