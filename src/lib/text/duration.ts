const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const form = /^\d+(?:\.\d+)?(ms|s|m|h|d)?$/;

/** Plain seconds or `500ms`, `10s`, `5m`, `4h`, `30d`, as milliseconds; undefined when it is none of these. */
export function parseDuration(text: string): number | undefined {
  const match = form.exec(text.trim());
  if (!match) return undefined;
  const unit = (match[1] ?? 's') as keyof typeof unitMs;
  const ms = Math.round(Number.parseFloat(match[0]) * unitMs[unit]);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** Whether it is a bare number, which some places refuse: beside days, it would be taken for days. */
export const isWithoutUnit = (text: string): boolean => /^\s*[\d.]+\s*$/.test(text);

/** `90000` → `1m 30s`; for sentences that people read. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1_000) * 1_000;
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const count = Math.floor(rest / unitMs[unit]);
    rest -= count * unitMs[unit];
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.join(' ');
}
