/** In this order: Edge and Chrome name Chrome and Safari, too. */
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(Headless)?Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const systems = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** The browser and system of a `User-Agent`, such as "Firefox on Linux"; of other programs, its first word. */
export function browserOf(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown program';
  const nameIn = (known: typeof browsers | typeof systems): string | undefined =>
    known.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = nameIn(browsers);
  const system = nameIn(systems);
  if (browser === undefined) return agent.split(/[\s/]/)[0] ?? agent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
