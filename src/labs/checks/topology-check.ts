/** Has a lab CLI look at a topology before there is a lab of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, invalidField, systemCode } from '../../lib/app-error.ts';
import { readPath, shownPath } from '../../lib/archives/entry-path.ts';
import type { PackItem } from '../../lib/archives/pack.ts';
import { giveTree } from '../../lib/files/give-tree.ts';
import type { Environment, LabCli } from '../drivers/lab-driver.ts';
import { placedProblems, type Finding, type TopologyProblem } from '../drivers/placed-problems.ts';
import type { JobUser } from '../program/job-user.ts';
import { understand } from '../system/foreign-file.ts';
import type { RunLimits, RunResult } from '../system/run.ts';
import type { CheckPlaces } from './check-places.ts';
import { copyFiles } from './copy-files.ts';

const limitMs = 30_000;
/** The rest of a long output says the same of other nodes. */
const outputBytesMax = 64 * 1024;
const [problemsMax, messageMax] = [100, 1_000];

/** The parts of this machine that a check needs. */
interface Machine {
  /** @throws AppError `lab-cli-missing`. */
  readonly findCli: () => LabCli;
  readonly checkPlaces: CheckPlaces;
  readonly runAs?: JobUser | undefined;
  readonly env: Environment;
  /** The names of the other lab CLIs of the service. */
  readonly others: readonly string[];
}

/** Runs the lab CLI to its end; does not throw for a failure of it. */
type RunIn = (
  cli: LabCli,
  args: readonly string[],
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly limits: RunLimits },
) => Promise<RunResult>;

export interface AskedCheck {
  readonly topology: string;
  /** Where it is, or would be, below the directory of the lab. */
  readonly path: string;
  /** The directory of the lab, as far as there is one. */
  readonly workdir?: string;
  /** Calls `use` with the files that are there. */
  readonly withFiles?: (use: (items: AsyncIterable<PackItem>) => Promise<void>) => Promise<void>;
  readonly user: string | null;
  readonly signal: AbortSignal;
}

export interface CheckedTopology {
  readonly valid: boolean;
  readonly problems: readonly TopologyProblem[];
}

/** @throws AppError `invalid-request`. */
function partsOf(file: string): readonly string[] {
  const reading = readPath(file);
  if (reading.kind === 'refused') throw invalidField('path', `${shownPath(file)} ${reading.why}`);
  if (reading.parts.length > 0) return reading.parts;
  throw invalidField('path', 'must name a file, such as "topology.yml"');
}

/** @throws AppError about a lab CLI that was ended, or could not begin. */
function assertEnded({ ended, spawnError, signal, exitCode }: RunResult, { name }: LabCli): void {
  if (ended === 'timeout')
    throw new AppError('lab-cli-timeout', `${name} took more than ${limitMs / 1000} s for the check`);
  if (ended === 'aborted') throw new AppError('shutting-down', 'the check was ended');
  if (ended !== null) throw new AppError('lab-cli-failed', `${name} printed far too much, and was ended`);
  if (exitCode !== null) return;
  throw new AppError(
    'lab-cli-failed',
    spawnError === null ? `${name} was ended by ${signal}` : `${name} could not be started: ${spawnError}`,
  );
}

const fullDisk = /No space left on device|ENOSPC|EDQUOT/;

export class TopologyCheck {
  readonly #machine: () => Machine;
  readonly #run: RunIn;

  constructor(machine: () => Machine, run: RunIn) {
    [this.#machine, this.#run] = [machine, run];
  }

  /** To be called once, before the first check: ends and erases those of an earlier service. Never rejects. */
  async open(): Promise<void> {
    await this.#machine().checkPlaces.open();
  }

  /**
   * @throws AppError `invalid-request` about a path; `not-supported`, `queue-full`, `disk-full`, `shutting-down`, `lab-cli-…`;
   * what `withFiles` throws.
   */
  async of(asked: AskedCheck): Promise<CheckedTopology> {
    const machine = this.#machine();
    const { checkPlaces, runAs } = machine;
    const cli = machine.findCli();
    const parts = partsOf(asked.path);
    const why = cli.driver.unsupported?.create;
    if (why !== undefined) throw new AppError('not-supported', `${cli.name} checks no topologies: ${why}`);
    return checkPlaces.use(asked, async (place) => {
      // A lab CLI may call a lab after its directory.
      const name = asked.workdir === undefined ? 'lab' : path.basename(asked.workdir);
      const cwd = path.join(place.directory, name);
      await mkdir(cwd);
      const missing = await fill(cwd, parts, asked);
      if (runAs) await giveTree(place.directory, runAs);
      const found = await this.#findings(cli, { ...asked, ...place, cwd, file: path.join(cwd, ...parts) });
      const warnings: readonly Finding[] =
        missing === undefined ? [] : [{ severity: 'warning', text: missing }];
      const findings = [...found, ...warnings];
      const problems = await placed(asked.topology, parts.join('/'), findings);
      return { valid: findings.every(({ severity }) => severity === 'warning'), problems };
    });
  }

  async #findings(cli: LabCli, run: AskedCheck & Run): Promise<readonly Finding[]> {
    const { driver } = cli;
    const refusal = await this.#refusal(cli, run);
    if (typeof refusal === 'string') return [{ severity: 'error', text: refusal }];
    const args = driver.commandArguments({
      action: 'create',
      options: {},
      topologyFile: run.file,
      labName: undefined,
      instance: null,
      labFile: undefined,
      isListed: false,
    });
    const env = { ...driver.jobEnvironment?.(run.cwd), ...refusal, ...run.env };
    const limits = { signal: run.signal, timeoutMs: limitMs };
    const result = await this.#run(cli, args, { cwd: run.cwd, env, limits });
    assertEnded(result, cli);
    const bytes = [result.stdout, result.stderr].map((part) => part.subarray(-outputBytesMax));
    const output = bytes.join('\n').replaceAll(`${run.cwd}/`, '').replaceAll(run.cwd, '.');
    const hasFailed = !driver.isSuccess('create', result.exitCode ?? 1);
    if (hasFailed && fullDisk.test(output))
      throw new AppError('disk-full', 'the disk was full in the middle of the check');
    const found = driver.topology.findings?.(output, hasFailed) ?? [];
    if (!hasFailed || found.some(({ severity }) => severity === 'error')) return found;
    const { exitCode, signal } = result;
    const how = { action: 'create', workdir: run.cwd, cliName: cli.name, exitCode, signal } as const;
    return [...found, { severity: 'error', text: driver.errorSentence({ ...how, logTail: output }) }];
  }

  /** Why no job could start it, in a sentence; else the variables that its job would have. */
  async #refusal(
    cli: LabCli,
    { topology, workdir, cwd, env, signal }: AskedCheck & Run,
  ): Promise<string | Readonly<Record<string, string>>> {
    const { driver } = cli;
    const { env: own, others } = this.#machine();
    const instance = await driver.instanceOf({ options: {}, topologyText: topology });
    try {
      const variables = await driver.checkLab?.({
        action: 'create',
        workdir: workdir ?? cwd,
        instance,
        options: {},
        topologyText: topology,
        env: own,
        others,
        run: async (args) => this.#run(cli, args, { cwd, env, limits: { signal } }),
      });
      return variables ?? {};
    } catch (error) {
      if (error instanceof AppError && !error.code.startsWith('lab-cli-')) return error.message;
      throw error;
    }
  }
}

interface Run {
  /** Of the copy. */
  readonly cwd: string;
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Makes the files of a check; gives a sentence about those that are missing. */
async function fill(
  cwd: string,
  parts: readonly string[],
  { topology, withFiles }: AskedCheck,
): Promise<string | undefined> {
  let missing: string | undefined;
  await withFiles?.(async (items) => void (missing = await copyFiles(items, cwd)));
  const file = path.join(cwd, ...parts);
  await mkdir(path.dirname(file), { recursive: true }).catch(() => {
    throw invalidField('path', `${shownPath(parts.join('/'))} leads through a file of the workspace`);
  });
  await writeFile(file, topology).catch((error: unknown) => {
    if (systemCode(error) !== 'EISDIR') throw error;
    throw invalidField('path', `${shownPath(parts.join('/'))} is a directory of the workspace`);
  });
  return missing;
}

const position = /^(\S+?):(\d+):(\d+): /;

/** Takes the line and the column of this file out of a finding. A place in another file stays in the sentence. */
function problemOf(file: string, { severity, text, line: told }: Finding): TopologyProblem {
  const [prefix = '', named, line, column] = position.exec(text) ?? [];
  const isHere = named !== undefined && (named === file || named === path.basename(file));
  const message = (isHere ? text.slice(prefix.length) : text).slice(0, messageMax);
  const nowhere = { line: told ?? null, column: null, node: null, link: null };
  return { ...nowhere, ...(isHere && { line: Number(line), column: Number(column) }), message, severity };
}

async function placed(
  topology: string,
  file: string,
  findings: readonly Finding[],
): Promise<readonly TopologyProblem[]> {
  const problems = findings.slice(0, problemsMax).map((finding) => problemOf(file, finding));
  return understand(placedProblems, Buffer.from(topology), problems).catch(() => problems);
}
