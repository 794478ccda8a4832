/** The commands of containerlab that netlab calls. */
import { parseArgs } from 'node:util';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { readAnyClaim } from '../state/claim.ts';
import { deploy, destroy } from './deploy.ts';
import { readLabName } from './lab-file.ts';
import { processOf, readLabRecords } from './lab-records.ts';
import { restart } from './restart.ts';
import { outputOf, realProgram, runReal } from './real-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** netlab wants 0.75.0 or newer (netsim/providers/clab.yml, `probe`). */
const versionText = 'version: 0.80.0\nruntime: namespaces of this machine (lab-api), without Docker\n';

async function inspect(context: EngineContext, file: string): Promise<void> {
  const { name, instance } = await readLabName(file);
  const lab = (await readLabRecords(context)).find((record) => record.instance === instance);
  const nodes = (lab?.nodes ?? []).map(({ container, image, management }) => ({
    name: container,
    container_id: container,
    image,
    kind: 'linux',
    state: processOf(context, instance, container) === undefined ? 'exited' : 'running',
    ipv4_address: management.ipv4 ?? '',
  }));
  context.out(`${JSON.stringify({ [name]: nodes }, null, 2)}\n`);
}

/** Whether a new lab gets containers: LAB_RUNTIME says so, or leaves the choice, and Docker and containerlab are here. */
function wantsContainers(env: Environment): boolean {
  const { LAB_RUNTIME: runtime } = env;
  if (runtime === 'containers' || runtime === 'namespaces') return runtime === 'containers';
  return ['docker', 'containerlab'].every((name) => realProgram(name, env) !== undefined);
}

const actions = { deploy, destroy, inspect, restart };
const isAction = (command: string): command is keyof typeof actions => Object.hasOwn(actions, command);

/** Whether the command is about a lab in namespaces. */
async function isOurs(
  context: EngineContext,
  command: string,
  file: string,
  env: Environment,
): Promise<boolean> {
  const { name, instance } = await readLabName(file);
  if ((await readAnyClaim(context.runDir, instance)) !== undefined) return true;
  if (command === 'deploy') return !wantsContainers(env);
  if (realProgram('containerlab', env) === undefined) return true;
  // A deploy that was refused left nothing, and containerlab cannot say so without Docker.
  return !wantsContainers(env) && !(await hasContainers(name, env));
}

/** Whether Docker answers and has containers of the lab. */
async function hasContainers(lab: string, env: Environment): Promise<boolean> {
  const docker = realProgram('docker', env);
  return (await outputOf(docker, ['ps', '-aq', '--filter', `label=containerlab=${lab}`])) !== '';
}

interface Read {
  readonly file: string;
  /** Undefined stands for all. */
  readonly nodes: readonly string[] | undefined;
}

function read(words: readonly string[]): Read {
  const { values } = parseArgs({
    args: [...words],
    options: {
      topo: { type: 'string', short: 't', default: 'clab.yml' },
      format: { type: 'string', short: 'f' },
      reconfigure: { type: 'boolean', short: 'c' },
      cleanup: { type: 'boolean' },
      node: { type: 'string', multiple: true },
      timeout: { type: 'string' },
    },
  });
  return { file: values.topo, nodes: values.node?.flatMap((names) => names.split(',')) };
}

/** Runs one command line of containerlab; leaves labs with containers to containerlab itself. */
export async function runContainerlab(
  context: EngineContext,
  words: readonly string[],
  env: Environment,
): Promise<number> {
  const [command = '', ...rest] = words;
  if (command === 'version') {
    context.out(versionText);
    return 0;
  }
  if (isAction(command)) {
    const { file, nodes } = read(rest);
    if (await isOurs(context, command, file, env)) {
      await actions[command](context, file, nodes);
      return 0;
    }
  }
  const containerlab = realProgram('containerlab', env);
  if (containerlab !== undefined) return runReal(containerlab, words, env);
  throw new EngineError(
    isAction(command)
      ? 'LAB_API_RUNTIME asks for containers, and there is no containerlab on PATH'
      : `this containerlab stands in for labs in namespaces, and has no "${command}"`,
  );
}
