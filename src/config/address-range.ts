import net from 'node:net';

/** What is wrong with a range of addresses; undefined when nothing is. */
export function addressRangeProblem(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[net.isIP(address)] ?? 0;
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (most === 0 || !isRange || rest.length > 0 || address.includes('%'))
    return 'is not an address or a network: write something like 192.0.2.7 or 2001:db8::/32';
  return bits !== undefined && Number(bits) === 0 ? 'is everybody: name the proxies alone' : undefined;
}
