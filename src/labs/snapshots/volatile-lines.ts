/** Lines of configurations that change by themselves, so that they are no difference. */

/** Each with the device that prints it. */
const volatile: readonly RegExp[] = [
  // IOS and devices like it: what `show running-config` says before the configuration, and the drift of the clock.
  /^Building configuration\.\.\./,
  /^Current configuration\b/,
  /^!+ *(?:Last configuration change|NVRAM config last updated|No configuration change since|Startup-config last modified)\b/i,
  /^ntp clock-period \d+$/,
  // NX-OS, and EOS.
  /^!(?:Time|Running configuration last done at|Command): /,
  /^! Command: /,
  // Junos.
  /^## Last (?:changed|commit): /,
  // RouterOS.
  /^# .* by RouterOS /,
  // Comments with the time since the start, of any device.
  /^[!#].*\buptime\b/i,
  // The bundled engine: what the kernel has learned, and addresses that it makes of random ones.
  /^neighbour \S+ dev \S+ \S+ [a-z_,]*$/,
  / {2}mac (?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/,
  / {2}address fe80::[0-9a-f:]+\/64 \(link-local\)$/,
];

/** The lines that do not change by themselves, without spaces at their ends; each with its line feed. */
export function withoutVolatile(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  const kept = lines.filter((line) => !volatile.some((pattern) => pattern.test(line)));
  return kept.map((line) => `${line}\n`).join('');
}
