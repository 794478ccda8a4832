/** The root file systems of nodes: those of images (`lab image`), or the machine's own. */
import { existsSync } from 'node:fs';
import { frrVersionIn, zebraFile } from '../../lib/net/frr.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { findImage, type Image } from '../images/image-store.ts';
import { rootOf } from '../images/trees.ts';
import { EngineError } from '../core/engine-error.ts';
import { runProgram } from '../system/run-program.ts';

/** Nodes write into a layer of their own above it. */
export interface NodeRoot {
  /** Whether it has the routing daemons of FRR. */
  readonly isRouter: boolean;
  /** Absent for the file system of the machine. */
  readonly image?: Pick<Image, 'name' | 'id' | 'tree' | 'start'> & { readonly directory: string };
}

/** The images of netlab's devices `frr` and `linux` (netsim/devices/frr.yml, linux.yml), by their repositories. */
const standIns: Readonly<Record<string, NodeRoot>> = {
  'quay.io/frrouting/frr': { isRouter: true },
  python: { isRouter: false },
};

/** The script of the Debian package `frr` that starts the daemons. */
export const frrScript = '/usr/lib/frr/frrinit.sh';

/** An image that was added, or else the machine in its place. Undefined for an image that is neither. */
export async function nodeRootOf(
  context: Pick<EngineContext, 'home'>,
  name: string,
): Promise<NodeRoot | undefined> {
  const image = await findImage(context, name);
  if (image !== undefined)
    return { isRouter: image.isRouter, image: { ...image, directory: rootOf(context, image) } };
  const repository = name.replace(/:[^:/]*$/, '');
  return Object.hasOwn(standIns, repository) ? standIns[repository] : undefined;
}

/** Why nodes with that root cannot start on this machine; undefined when they can. */
export function whyMissing({ isRouter, image }: NodeRoot): string | undefined {
  if (!isRouter || image !== undefined || existsSync(frrScript)) return undefined;
  return `there is no ${frrScript}: install the package frr ("systemctl disable --now frr" stops its daemons on the machine itself), or add an image with FRR ("lab image add")`;
}

/** The roots of the nodes, each once. @throws EngineError when nodes with one of them cannot start on this machine. */
export function usableRoots(nodes: readonly { readonly root: NodeRoot }[]): readonly NodeRoot[] {
  const roots = [...new Set(nodes.map(({ root }) => root))];
  const problem = roots.map(whyMissing).find((why) => why !== undefined);
  if (problem !== undefined) throw new EngineError(problem);
  return roots;
}

/** A program of an image may do anything, also wait for ever. */
const versionMs = 10_000;

/** It sees nothing of the machine, changes nothing, and all that it has started ends with it. */
const apart = ['--mount', '--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child', 'sh', '-c'];
const versionScript = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec chroot "$1" ${zebraFile} --version`;

/** The version of its FRR; undefined when it does not report one. */
export async function frrVersion({ image }: NodeRoot): Promise<string | undefined> {
  const options = { signal: AbortSignal.timeout(versionMs) };
  const run =
    image === undefined
      ? runProgram(zebraFile, ['--version'], options)
      : runProgram('unshare', [...apart, versionScript, 'sh', image.directory], options);
  const result = await run.catch(() => undefined);
  return result && frrVersionIn(result.stdout);
}
