/** A scenario from its plan to its exit code. */
import { messageOf } from '../../lib/app-error.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import type { ScenarioPlan } from '../model/scenario-plan.ts';
import type { FlowPath } from '../model/scenario-report.ts';
import { pathOf } from './paths.ts';
import { faultLines, seconds } from '../model/report-words.ts';
import { Captures } from './captures.ts';
import { Probe, type Way } from './probe.ts';
import { Report } from './report.ts';
import { ScenarioRun } from './run-scenario.ts';
import type { ServiceLink } from './service-link.ts';

/** As in the shell: 1 for a verdict, 2 when there is none, 130 for SIGINT. */
const exitCodes = { passed: 0, failed: 1, stopped: 2, canceled: 130 } as const;

interface Performance {
  readonly link: ServiceLink;
  readonly canceled: AbortSignal;
  readonly say: (line: string) => void;
}

/** Each has a process for each hop. */
const streamsAtOnce = 8;

/** The answer to the first question. */
interface Task {
  readonly plan: ScenarioPlan;
  /** The directory for the files of the scenario. */
  readonly artifacts: string;
}

/** Asks for each way once. */
function waysOf(link: ServiceLink): (node: string) => Promise<Way> {
  const ways = new Map<string, Promise<Way>>();
  return async (node) => {
    const way = ways.get(node) ?? (link.ask({ ask: 'way', node }) as Promise<Way>);
    ways.set(node, way);
    return way;
  };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function sayPlan({ title, faults, streams, holdMs }: ScenarioPlan, say: (line: string) => void): void {
  say(`scenario: ${title}`);
  say(`${counted(faults.length, 'fault')}, ${counted(streams.length, 'flow')}, hold: ${seconds(holdMs)}`);
}

/** Says how all of it ended, in one line. */
function conclude({ content }: Report, say: (line: string) => void): keyof typeof exitCodes {
  const { passed, failed, faults } = content;
  say(`All faults were run: ${passed} passed, ${failed} failed`);
  if (failed === 0) return 'passed';
  const [first] = faults.filter(({ verdict }) => verdict === 'failed');
  const more = failed > 1 ? ` (and ${failed - 1} more)` : '';
  say(`error: ${first?.fault}: ${first?.reasons[0]}${more}`);
  // Nothing is known of a fault that could not be set.
  return faults.some(({ streams }) => streams.length === 0) ? 'stopped' : 'failed';
}

async function runFaults(
  task: Task,
  { link, canceled, say }: Performance,
  report: Report,
): Promise<keyof typeof exitCodes> {
  const { plan, artifacts: directory } = task;
  const wayTo = waysOf(link);
  const captures = new Captures({ wayTo, directory, say });
  const probes: Probe[] = [];
  try {
    for (const capture of plan.captures) await captures.start(capture);
    for (const stream of plan.streams) probes.push(new Probe(stream, await wayTo(stream.from)));
    const note: ConstructorParameters<typeof ScenarioRun>[0]['note'] = (fault) => {
      report.add(fault);
      for (const line of faultLines(fault)) say(line);
    };
    const pathsNow = async (): Promise<readonly FlowPath[]> => {
      const { paths, streams } = plan;
      if (paths === null) return [];
      return mapBounded(streams, streamsAtOnce, async (stream) =>
        pathOf(stream, await wayTo(stream.from), paths),
      );
    };
    await new ScenarioRun({ plan, probes, pathsNow, link, canceled, say, note }).run();
    return conclude(report, say);
  } finally {
    await Promise.all([...probes.map(async (probe) => probe.stop()), captures.stop()]);
  }
}

/** Never rejects. @returns the exit code. */
export async function perform(performance: Performance): Promise<number> {
  const { link, canceled, say } = performance;
  let report: Report | undefined;
  let outcome: keyof typeof exitCodes = 'stopped';
  try {
    const task = (await link.plan) as Task;
    sayPlan(task.plan, say);
    report = new Report(task.plan, task.artifacts);
    outcome = await runFaults(task, performance, report);
  } catch (error) {
    outcome = canceled.aborted ? 'canceled' : 'stopped';
    say(canceled.aborted ? 'error: it was canceled, or its time was up' : `error: ${messageOf(error)}`);
  }
  await report?.write().catch((error: unknown) => {
    say(`warning: the files of the scenario cannot be written: ${messageOf(error)}`);
  });
  link.close();
  return exitCodes[outcome];
}
