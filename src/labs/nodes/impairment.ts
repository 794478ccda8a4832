/** Links that are slow or lose packets: netem (tc-netem(8)) at an interface, for what leaves the node there. */
import { AppError } from '../../lib/app-error.ts';
import { isMapping, type Mapping } from '../../lib/mapping.ts';
import type { Impairment } from '../model/impairment.ts';
import { checkInterface, missingProgram } from './interfaces.ts';
import { look, type Looked, type NodeSession } from './node-session.ts';

/** Messages of the kernel, and of `tc` for it, when netem is missing. */
const saysUnknown = /qdisc kind is unknown|unknown qdisc|RTNETLINK answers: No such file or directory/i;

function failure({ node }: NodeSession, { words }: Looked): AppError {
  const missing = missingProgram('tc', words);
  if (missing) return missing;
  if (saysUnknown.test(words))
    return new AppError(
      'not-supported',
      `the kernel of this server cannot impair links, as it has no sch_netem: ${words}`,
    );
  return new AppError('lab-cli-failed', `tc failed on ${node}: ${words}`, {
    extra: { output: words.split('\n') },
  });
}

/** Other names are looked for first: `tc` takes an empty one for all interfaces, and no program can be given a NUL byte. */
const plainName = /^[!-~]{1,15}$/;

/**
 * Runs `tc`. The way into a node costs more than the question: the names of its interfaces are read only when `tc` refuses.
 * @throws AppError `interface-not-found`, too.
 */
async function tc(session: NodeSession, ifname: string, args: readonly string[]): Promise<string> {
  if (!plainName.test(ifname)) await checkInterface(session, ifname);
  const looked = await look(session, ['tc', ...args]);
  if (looked.exitCode === 0) return looked.output;
  await checkInterface(session, ifname);
  throw failure(session, looked);
}

const numberAt = (options: Mapping, group: string, name: string): number => {
  const found = options[group];
  const value = isMapping(found) ? found[name] : undefined;
  return typeof value === 'number' ? value : 0;
};

/** A fraction of 1 in 32 bits, as the kernel keeps it: rounded to what a person has given. */
const rounded = (value: number): number => Number(value.toPrecision(6));

/** Reads the output of `tc -json qdisc show`: delays in seconds, shares of 1, bytes per second. Undefined without netem. */
function readImpairment(json: string): Impairment | undefined {
  const qdiscs = JSON.parse(json === '' ? '[]' : json) as readonly Mapping[];
  const netem = qdiscs.find(({ kind, root }) => kind === 'netem' && root === true);
  if (netem === undefined) return undefined;
  const options = isMapping(netem['options']) ? netem['options'] : {};
  return {
    delayMs: rounded(numberAt(options, 'delay', 'delay') * 1_000),
    jitterMs: rounded(numberAt(options, 'delay', 'jitter') * 1_000),
    lossPercent: rounded(numberAt(options, 'loss-random', 'loss') * 100),
    duplicatePercent: rounded(numberAt(options, 'duplicate', 'duplicate') * 100),
    corruptPercent: rounded(numberAt(options, 'corrupt', 'corrupt') * 100),
    rateKbps: rounded((numberAt(options, 'rate', 'rate') * 8) / 1_000),
  };
}

/** The arguments of `tc` that make the interface so, whatever it was before. */
function setArguments(ifname: string, impairment: Impairment): readonly string[] {
  const { delayMs, jitterMs, lossPercent, duplicatePercent, corruptPercent, rateKbps } = impairment;
  return [
    'qdisc',
    'replace',
    'dev',
    ifname,
    'root',
    'netem',
    ...(delayMs > 0 || jitterMs > 0 ? ['delay', `${delayMs}ms`] : []),
    ...(jitterMs > 0 ? [`${jitterMs}ms`] : []),
    ...(lossPercent > 0 ? ['loss', `${lossPercent}%`] : []),
    ...(duplicatePercent > 0 ? ['duplicate', `${duplicatePercent}%`] : []),
    ...(corruptPercent > 0 ? ['corrupt', `${corruptPercent}%`] : []),
    ...(rateKbps > 0 ? ['rate', `${rateKbps}kbit`] : []),
  ];
}

/** Undefined when the interface is not impaired. */
export async function getImpairment(session: NodeSession, ifname: string): Promise<Impairment | undefined> {
  return readImpairment(await tc(session, ifname, ['-json', 'qdisc', 'show', 'dev', ifname]));
}

/** Makes it so, and gives it as the kernel has it then. */
export async function putImpairment(
  session: NodeSession,
  ifname: string,
  impairment: Impairment,
): Promise<Impairment | undefined> {
  await tc(session, ifname, setArguments(ifname, impairment));
  return getImpairment(session, ifname);
}

/** Takes it away; that there is none is fine. */
export async function removeImpairment(session: NodeSession, ifname: string): Promise<void> {
  // Other queueing disciplines of the interface do not belong to this service.
  if ((await getImpairment(session, ifname)) !== undefined)
    await tc(session, ifname, ['qdisc', 'del', 'dev', ifname, 'root']);
}
