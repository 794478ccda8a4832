/** Which lab instance a job will be about, so that the jobs of a lab are found by it, however their requests named it. */
import { readPlainBytes } from '../../lib/files/plain-file.ts';
import { settledWithin } from '../../lib/async/settled-within.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import type { FindStart } from '../model/command-record.ts';
import type { CliOptionValues } from '../model/options.ts';
import type { PlannedTopology } from '../topologies/plan-topology.ts';

interface InstanceQuestion {
  readonly options: CliOptionValues;
  readonly topology: PlannedTopology | undefined;
  /** The directory of the lab; undefined when the job is not about one in particular. */
  readonly directory: string | undefined;
}

interface InstanceContext {
  readonly driver: Pick<LabDriver, 'instanceOf' | 'topologies'>;
  /** The instance that lives in a directory; undefined when the status lists none. */
  readonly instanceIn: (directory: string) => Promise<string | undefined>;
  /** Finds a start that may have left something which the status does not list. Absent: no job is on record. */
  readonly findStart?: FindStart | undefined;
}

/** The longest wait for the name: the status of a broken lab CLI may take a minute. */
const maxWaitMs = 2_000;

/** A topology of some 10,000 nodes. The parser of YAML for the name has a limit of its own. */
const maxBytes = 4 * 1024 * 1024;

export async function textOf({ file, text }: PlannedTopology): Promise<string | undefined> {
  if (file === undefined) return text;
  // One that is gone in this moment: the lab CLI will say so.
  const reading = await readPlainBytes(file, { maxBytes, followsLinks: true });
  return reading.kind === 'found' ? reading.bytes.toString('utf8') : undefined;
}

/** The name that the status gives, or will give, the lab of a job; null if unknown. Never throws. */
export async function planInstance(
  { options, topology, directory }: InstanceQuestion,
  { driver, instanceIn, findStart }: InstanceContext,
): Promise<string | null> {
  if (options.instance !== undefined) return options.instance;
  if (topology !== undefined) return driver.instanceOf({ options, topologyText: await textOf(topology) });
  if (options.multilabId !== undefined) return String(options.multilabId);
  if (directory === undefined) return null;
  const known = await settledWithin(instanceIn(directory), maxWaitMs);
  const started = known === undefined ? await findStart?.({ workdir: directory }) : undefined;
  return known ?? started?.instance ?? (await driver.topologies.labOf?.(directory)) ?? null;
}
