/** Runs a scenario again and again, each time with a service that is killed one step later, and audits what is left. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './eventually.ts';
import {
  makeGround,
  processesOf,
  startProgram,
  startService,
  topologyThat,
  type Client,
  type Ground,
} from './service.ts';

/** A job that writes its id to `starts`, prints its lines, and ends with its exit code, after the gate if it has one. */
export interface Task {
  readonly name: string;
  readonly lines: readonly string[];
  readonly exitCode: number;
  /** What the job waits for after its first line; the audit opens all gates. */
  readonly gate?: string;
  readonly timeoutSeconds?: number;
  /** Below the ground's labs. */
  readonly workdir?: string;
}

/** What the client of the crashed service knows. */
class Promises {
  /** Id → task of every job that was accepted. */
  readonly accepted = new Map<string, Task>();
  /** Jobs whose cancel was answered. */
  readonly canceled = new Set<string>();
  /** Jobs that may be missing: retention was about to remove them. */
  readonly removable = new Set<string>();
  readonly #requests: Promise<unknown>[] = [];
  #isOver = false;

  /** From now on nothing is asked for any more, and what was answered is known. */
  async settle(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#requests);
  }

  async #track<T>(action: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error('the service has crashed');
    const answer = action();
    this.#requests.push(answer);
    return answer;
  }

  async submit(client: Client, ground: Ground, task: Task): Promise<string> {
    return this.#track(async () => this.#submit(client, ground, task));
  }

  async cancel(client: Client, id: string): Promise<void> {
    await this.#track(async () => {
      const { status, text } = await client.post(`/jobs/${id}/cancel`);
      if (status !== 200 && status !== 202) throw new Error(`the cancel was refused: ${status} ${text}`);
      this.canceled.add(id);
    });
  }

  async #submit(client: Client, ground: Ground, task: Task): Promise<string> {
    const { gate, lines, exitCode, timeoutSeconds } = task;
    const [first, ...others] = lines.map((line) => `echo ${line}`);
    const id = await client.start({
      action: 'create',
      workdir: path.join(path.dirname(ground.workdir), task.workdir ?? 'demo'),
      labels: { task: task.name },
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      topology: topologyThat(
        'echo "$LAB_JOB_ID" >>"$state/starts"',
        first ?? ':',
        ...(gate === undefined ? [] : [`wait_for ${gate}`]),
        ...others,
        `exit ${exitCode}`,
      ),
    });
    this.accepted.set(id, task);
    return id;
  }
}

export interface Scenario {
  readonly name: string;
  readonly tasks: readonly Task[];
  readonly env?: Readonly<Record<string, string>>;
  /** What a service does undisturbed, before the one that is killed. */
  readonly prepare?: (client: Client, ground: Ground, promises: Promises) => Promise<void>;
  /** Where to begin when only some windows are gone through; 1 by default. */
  readonly firstStep?: number;
  /** Before the steps count. Without it, they count from the start of the service. */
  readonly before?: (client: Client, ground: Ground, promises: Promises) => Promise<void>;
  /** While the steps count. */
  readonly act: (client: Client, ground: Ground, promises: Promises) => Promise<void>;
}

interface Step {
  readonly number: number;
  readonly side: 'before' | 'after';
  readonly thorough: boolean;
}

export interface Window {
  /** What the service was about to do when it was killed; undefined when the scenario came to its end before. */
  readonly crash: string | undefined;
  readonly violations: readonly string[];
}

/** The service with tests/fixtures/crash-at.cjs; it is gone afterwards, in any case. */
async function runUntilCrash(scenario: Scenario, ground: Ground, promises: Promises, step: Step) {
  const mark = path.join(ground.root, 'mark');
  const note = path.join(ground.root, 'note');
  if (!scenario.before) writeFileSync(mark, '');
  const preload = path.join(__dirname, '..', 'fixtures', 'crash-at.cjs');
  const env = {
    ...scenario.env,
    NODE_OPTIONS: `--require=${preload}`,
    CRASH_MARK: mark,
    CRASH_NOTE: note,
    CRASH_AT: String(step.number),
    CRASH_SIDE: step.side,
    CRASH_STEPS: step.thorough ? 'all' : '',
  };
  try {
    const program = await startProgram({ ground, env });
    try {
      await scenario.before?.(program, ground, promises);
      writeFileSync(mark, '');
      const crashed = program.run.exit;
      // Whoever waits for something of the service waits in vain once it has crashed.
      await Promise.race([scenario.act(program, ground, promises), crashed.then(() => undefined)]);
    } finally {
      await program.end('SIGKILL');
      await promises.settle();
    }
  } catch (error) {
    if (!existsSync(note)) throw error;
  }
  return existsSync(note) ? readFileSync(note, 'utf8') : undefined;
}

function startsOf(ground: Ground, id: string): number {
  const file = path.join(ground.env['FAKE_LAB_STATE'] ?? '', 'starts');
  const starts = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return starts.filter((line) => line === id).length;
}

/** Whether a job may have ended like this, and what of its log has to be there. */
function judgeEnd(
  task: Task,
  job: Record<string, unknown>,
  wasCanceled: boolean,
): 'whole' | 'part' | 'none' | 'wrong' {
  const { state, reason, exitCode } = job;
  if (reason === 'exited' && !wasCanceled) {
    const expected = task.exitCode === 0 ? 'success' : 'failed';
    return state === expected && exitCode === task.exitCode ? 'whole' : 'wrong';
  }
  if (reason === 'interrupted' && !wasCanceled) return state === 'failed' ? 'none' : 'wrong';
  if (reason === 'timeout') return state === 'failed' && task.timeoutSeconds !== undefined ? 'part' : 'wrong';
  return reason === 'canceled' && state === 'canceled' ? 'part' : 'wrong';
}

async function auditJob(
  client: Client,
  ground: Ground,
  id: string,
  facts: { task: Task; wasCanceled: boolean },
) {
  const { task, wasCanceled } = facts;
  const job = (await client.job(id)) as Record<string, unknown>;
  const log = await client.logText(id);
  const starts = startsOf(ground, id);
  const whole = task.lines.map((line) => `${line}\n`).join('');
  const end = judgeEnd(task, job, wasCanceled);
  const is = `${task.name} is ${String(job['state'])} (${String(job['reason'])}, exit code ${String(job['exitCode'])}), was started ${starts} time(s), and printed ${JSON.stringify(log)}`;
  const isRight = {
    wrong: false,
    // It ran on without the service, whatever became of that.
    whole: starts === 1 && log === whole,
    part: starts <= 1 && whole.startsWith(log) && (starts === 1 || log === ''),
    // Nobody else than the service could interrupt it: it never began.
    none: starts === 0 && log === '',
  }[end];
  const left = await processesOf(id);
  return [
    ...(isRight ? [] : [is]),
    ...(left.length === 0 ? [] : [`${task.name} has left the processes ${left.join(', ')}`]),
  ];
}

/** Starts a sound service on what the crashed one left, lets every job end, and tells what is not as it should be. */
async function audit(scenario: Scenario, ground: Ground, promises: Promises): Promise<string[]> {
  const service = await startService({ ground, ...(scenario.env ? { env: scenario.env } : {}) });
  for (const { gate } of scenario.tasks) if (gate !== undefined) ground.let(gate);
  const listed = (await service.get('/jobs?limit=100')).json.jobs as {
    id: string;
    labels: { task: string };
  }[];
  const found: string[] = [];
  for (const id of promises.accepted.keys()) {
    const isThere = listed.some((job) => job.id === id) || promises.removable.has(id);
    if (!isThere) found.push(`${id} was accepted and is gone`);
  }
  for (const { id, labels } of listed) {
    const task = scenario.tasks.find(({ name }) => name === labels.task);
    if (!task) throw new Error(`${id} is nobody's job`);
    if ((await service.get(`/jobs/${id}`)).status === 404 && promises.removable.has(id)) continue;
    await service.ended(id);
    await eventually(`the shim of ${id} to be gone`, async () => (await processesOf(id)).length === 0).catch(
      () => false,
    );
    found.push(...(await auditJob(service, ground, id, { task, wasCanceled: promises.canceled.has(id) })));
  }
  for (const name of readdirSync(path.join(ground.dataDir, 'jobs', '.quarantine')))
    found.push(`${name} was set aside`);
  await service.stop();
  return found;
}

/** Runs the scenario on fresh ground with a crash at that step. */
export async function openWindow(scenario: Scenario, step: Step): Promise<Window> {
  const ground = makeGround();
  const promises = new Promises();
  for (const name of new Set(scenario.tasks.map(({ workdir }) => workdir)))
    if (name !== undefined) ground.makeWorkdir(name);
  if (scenario.prepare) {
    const program = await startProgram({ ground });
    await scenario.prepare(program, ground, promises);
    await program.end('SIGKILL');
  }
  const crash = await runUntilCrash(scenario, ground, promises, step);
  return { crash, violations: await audit(scenario, ground, promises) };
}
