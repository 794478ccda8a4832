import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Seconds of a processor that the process used so far: proc(5), fields 14 to 17 of `stat`, counted from behind the name. @param {number} pid */
export function cpuSecondsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = NaN, system = NaN, ...ofChildren] = fields
    .slice(11, 15)
    .map((field) => Number(field) / ticksPerSecond);
  return { user, system, endedChildren: ofChildren.reduce((sum, one) => sum + one, 0) };
}

/** A number that proc(5) tells of the process, such as VmRSS of `status` in KiB. @param {number} pid @param {string} file @param {string} name */
export function figureOf(pid, file, name) {
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1]);
}
