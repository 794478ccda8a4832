/**
 * The runtime of netlab's containers: Docker and containerlab, or namespaces of this machine. For namespaces, the programs
 * `docker` and `containerlab` of the bundled engine are the first of their names on netlab's PATH. They leave containers of
 * Docker to Docker, so labs of both kinds run side by side.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../../lib/files/package-root.ts';
import { defaultPath, findProgram } from '../find-program.ts';
import type { Environment, LabProgram } from '../lab-driver.ts';

/** Where the engine keeps the claims of its labs (src/engine/runtime/lab-records.ts). */
const claims = '/run/lab-engine';

function hasLabsInNamespaces(): boolean {
  try {
    return readdirSync(claims).some((name) => name.startsWith('clab.'));
  } catch {
    return false;
  }
}

const standInsPlace = packageFile('dist', 'engine', 'runtime');

/** The value of LAB_API_RUNTIME; LAB_RUNTIME in the environment of netlab. */
const runtimeOf = (env: Environment): string => env['LAB_RUNTIME'] || env['LAB_API_RUNTIME'] || 'auto';

function setting(name: string): string | undefined {
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
  const found = Object.entries(forbidding).find(([name, value]) => setting(name) === value);
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

/** A lab that runs in namespaces needs the programs for its end, whatever the setting says by then. */
export function standIns(env: Environment, { file }: LabProgram): Partial<LabProgram> | undefined {
  if (whyNoNamespaces(env) !== undefined && !hasLabsInNamespaces()) return undefined;
  return {
    // netlab itself must be root of the user namespace.
    ...(process.getuid?.() !== 0 && { file: path.join(standInsPlace, 'netlab') }),
    binDirs: [standInsPlace],
    environment: { LAB_RUNTIME: runtimeOf(env), LAB_NODE: process.execPath, LAB_NETLAB: file },
  };
}

/** The programs of the machine itself. */
export function withoutStandIns(env: Environment): Environment {
  const places = (env['PATH'] ?? defaultPath).split(path.delimiter);
  return { ...env, PATH: places.filter((place) => place !== standInsPlace).join(path.delimiter) };
}
