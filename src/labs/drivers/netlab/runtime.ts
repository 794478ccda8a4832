/**
 * The runtime of netlab's containers: Docker and containerlab, or namespaces of this machine. For namespaces, the programs
 * `docker` and `containerlab` of the bundled engine are the first of their names on netlab's PATH. They leave containers of
 * Docker to Docker, so labs of both kinds run side by side.
 */
import { existsSync, readdirSync } from 'node:fs';
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

/** Why labs cannot run in namespaces here, in a sentence; undefined when they can. */
export function whyNoNamespaces(env: Environment): string | undefined {
  if (runtimeOf(env) === 'containers') return 'LAB_API_RUNTIME asks for containers';
  if (process.getuid?.() !== 0) return 'labs in namespaces need root';
  const missing = ['ip', 'nsenter', 'unshare'].find((program) => findProgram(program, env) === undefined);
  return missing && `labs in namespaces need the program "${missing}"`;
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
export function standIns(env: Environment): Pick<LabProgram, 'binDirs' | 'environment'> | undefined {
  if (whyNoNamespaces(env) !== undefined && !hasLabsInNamespaces()) return undefined;
  return {
    binDirs: [standInsPlace],
    environment: {
      LAB_RUNTIME: runtimeOf(env),
      LAB_NODE: process.execPath,
      ...(existsSync('/proc/modules') ? {} : withoutModules(env)),
    },
  };
}

/** The programs of the machine itself. */
export function withoutStandIns(env: Environment): Environment {
  const places = (env['PATH'] ?? defaultPath).split(path.delimiter);
  return { ...env, PATH: places.filter((place) => place !== standInsPlace).join(path.delimiter) };
}
