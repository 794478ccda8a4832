/**
 * The runtime of netlab's containers: Docker and containerlab, or namespaces of this machine. For namespaces, the programs
 * `docker` and `containerlab` of the bundled engine are the first of their names on netlab's PATH. They leave containers of
 * Docker to Docker, so labs of both kinds run side by side.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { oncePerTurn } from '../../../lib/async/once-per-turn.ts';
import { packageFile } from '../../../lib/files/package-root.ts';
import { isOldFrr } from '../../../lib/net/frr.ts';
import { defaultPath, findProgram } from '../find-program.ts';
import { specOf } from '../../model/actions.ts';
import type { Ending, Environment, LabProgram } from '../lab-driver.ts';
import type { RuntimeInForce } from '../runtimes-driver.ts';

/** Where the engine keeps the claims of its labs (src/engine/runtime/lab-records.ts). */
const claims = '/run/lab-engine';

function claimedLabs(place: string): readonly string[] {
  try {
    return readdirSync(place).filter((name) => name.startsWith('clab.'));
  } catch {
    return [];
  }
}

/** A lab in namespaces, as its record tells. */
interface LabInNamespaces {
  /** The version of FRR that its routers run; undefined when it has none, or that is unknown. */
  readonly frr?: string | undefined;
}

/** The labs in namespaces by their directories. */
export function labsInNamespaces(place = claims): ReadonlyMap<string, LabInNamespaces> {
  const labs = claimedLabs(place).flatMap((name): (readonly [string, LabInNamespaces])[] => {
    try {
      const text = readFileSync(path.join(place, name, 'lab.json'), 'utf8');
      const { file, frr } = JSON.parse(text) as LabInNamespaces & { readonly file: string };
      return [[path.dirname(file), { frr }]];
    } catch {
      // It is being made or removed at this moment.
      return [];
    }
  });
  return new Map(labs);
}

/** A list of many labs asks for each. */
export const knownLabsInNamespaces = oncePerTurn(() => labsInNamespaces());

const standInsPlace = packageFile('dist', 'engine', 'runtime');

/** netlab with a command more, `restart-nodes`. */
export const standInNetlab = path.join(standInsPlace, 'netlab');

/** The value of LAB_API_RUNTIME; LAB_RUNTIME in the environment of netlab. */
const runtimeOf = (env: Environment): string => env['LAB_RUNTIME'] || env['LAB_API_RUNTIME'] || 'auto';

function sysctl(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The settings of the kernel that forbid user namespaces to ordinary users, and their values that do. */
const forbidding: Readonly<Record<string, string>> = {
  'user.max_user_namespaces': '0',
  'kernel.unprivileged_userns_clone': '0',
  'kernel.apparmor_restrict_unprivileged_userns': '1',
};

/** An ordinary user is root in a user namespace, where the machine allows them. */
function whyNoUserNamespaces(): string | undefined {
  const found = Object.entries(forbidding).find(([name, value]) => sysctl(name) === value);
  if (found === undefined) return undefined;
  return `labs in namespaces need root, or user namespaces, which the sysctl ${found.join('=')} forbids`;
}

/** Why labs cannot run in namespaces here, in a sentence; undefined when they can. */
export function whyNoNamespaces(env: Environment): string | undefined {
  if (runtimeOf(env) === 'containers') return 'LAB_API_RUNTIME asks for containers';
  const missing = ['ip', 'nsenter', 'unshare'].find((program) => findProgram(program, env) === undefined);
  if (missing !== undefined) return `labs in namespaces need the program "${missing}"`;
  return process.getuid?.() === 0 ? undefined : whyNoUserNamespaces();
}

/**
 * Without /proc/modules, netlab breaks when it looks for modules of the kernel (netsim/providers/clab/labops.py, load_kmods): it
 * must not look for any. Its variables are values of its defaults, in YAML (netsim/utils/read.py, include_environment_defaults).
 */
export function withoutModules(env: Environment): Readonly<Record<string, string>> {
  const users = ['LAG', 'MPLS', 'SR', 'VRF', 'VXLAN'].map((name) => `NETLAB_PROVIDERS_CLAB_KMODS_${name}`);
  const all = ['NETLAB_DEVICES_FRR_CLAB_KMODS_INITIAL', ...users];
  return Object.fromEntries(all.filter((name) => env[name] === undefined).map((name) => [name, '[]']));
}

/** A lab that runs in namespaces needs the programs for its end, whatever the setting says by then. */
export function standIns(env: Environment, { file }: LabProgram): Partial<LabProgram> {
  const environment = { LAB_RUNTIME: runtimeOf(env), LAB_NODE: process.execPath, LAB_NETLAB: file };
  if (whyNoNamespaces(env) !== undefined && claimedLabs(claims).length === 0) return { environment };
  return {
    // netlab itself must be root of the user namespace.
    ...(process.getuid?.() !== 0 && { file: standInNetlab }),
    binDirs: [standInsPlace],
    environment: { ...environment, ...(existsSync('/proc/modules') ? {} : withoutModules(env)) },
  };
}

/** The programs of the machine itself. */
export function withoutStandIns(env: Environment): Environment {
  const places = (env['PATH'] ?? defaultPath).split(path.delimiter);
  return { ...env, PATH: places.filter((place) => place !== standInsPlace).join(path.delimiter) };
}

/** Where a new lab runs. */
export function runtimeInForce(env: Environment): RuntimeInForce {
  const setting = runtimeOf(env);
  const why = `LAB_API_RUNTIME=${setting}`;
  if (setting === 'containers') return { runtime: setting, why };
  const obstacle = whyNoNamespaces(env);
  if (setting === 'namespaces') return { runtime: setting, why, obstacle };
  const machine = withoutStandIns(env);
  const missing = ['docker', 'containerlab'].find((program) => findProgram(program, machine) === undefined);
  if (missing === undefined)
    return { runtime: 'containers', why: 'docker and containerlab are on this machine' };
  return obstacle === undefined
    ? { runtime: 'namespaces', why: `${missing} is not on this machine` }
    : { runtime: 'containers', why: obstacle };
}

/** A lab in containers needs the real programs, also while the stand-ins are there for the end of other labs. */
export function searchPathInForce(env: Environment, searchPath: string): string {
  if (runtimeInForce(env).runtime === 'namespaces') return searchPath;
  return withoutStandIns({ PATH: searchPath })['PATH'] ?? '';
}

/** The sentence of a failed job, with a hint at FRR when tests failed in a lab whose FRR is old. */
export function withOldFrr(
  sentence: string,
  { action, workdir }: Pick<Ending, 'action' | 'workdir'>,
  labs: ReturnType<typeof labsInNamespaces>,
): string {
  const frr = specOf(action).result === 'tests' ? labs.get(workdir)?.frr : undefined;
  if (frr === undefined || !isOldFrr(frr)) return sentence;
  return `${sentence} (the routers run FRR ${frr}, netlab expects 10.7: a newer one may mend this)`;
}
