/** `lab.snapshot.json`: the computed lab. `create` writes it, and `up --snapshot` starts it. */
import path from 'node:path';
import * as z from 'zod';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { EngineError } from '../core/engine-error.ts';
import { snapshotName } from '../core/file-names.ts';
import type { Lab } from '../core/lab.ts';
import { isInstance, isNodeName } from '../core/namespace-names.ts';
import { readTextFile, replaceFile } from '../system/files.ts';

// A user may edit a snapshot, and its contents go into commands that run as root. So every text must match the exact
// format of its field.
const address = z.string().regex(/^[0-9a-fA-F.:]+$/);
const prefix = z.string().regex(/^[0-9a-fA-F.:]+\/\d{1,3}$/);
const addresses = z.object({ ipv4: prefix.exactOptional(), ipv6: prefix.exactOptional() });
const nodeName = z.string().refine(isNodeName, 'is not a valid name for a node');
const ifname = z.string().regex(/^[A-Za-z]\w{0,14}$/);
const linkType = z.enum(['p2p', 'lan', 'stub', 'loopback']);
const linkIndex = z.int().min(1);
const mtu = z.int().min(64).max(9216);

const labSchema = z.object({
  name: z.string(),
  instance: z.string().refine(isInstance, 'is not a valid lab instance'),
  provider: z.string(),
  message: z.string().nullable(),
  nodes: z.array(
    z.object({
      name: nodeName,
      id: z.int(),
      device: z.string(),
      role: z.enum(['host', 'router']),
      loopback: addresses.nullable(),
      interfaces: z.array(
        addresses.extend({
          ifname,
          linkIndex,
          type: linkType,
          mtu: mtu.exactOptional(),
          unnumbered: z.array(z.enum(['ipv4', 'ipv6'])).exactOptional(),
        }),
      ),
      routes: z.array(z.object({ to: prefix, via: address.nullable(), dev: ifname.exactOptional() })),
    }),
  ),
  links: z.array(
    z.object({
      linkIndex,
      type: linkType,
      prefix: addresses,
      ends: z.array(z.object({ node: nodeName, ifname })).min(1),
    }),
  ),
  tests: z
    .array(
      z.object({
        name: z.string().regex(/^[\w-]+$/),
        description: z.string().nullable(),
        nodes: z.array(nodeName),
        wait: z.int().min(0).nullable(),
        waitMessage: z.string().nullable(),
        pass: z.string().nullable(),
        fail: z.string().nullable(),
        plugin: z.string().nullable(),
        exec: z.string().nullable(),
        valid: z.string().nullable(),
        hasAction: z.boolean(),
        stopsOnError: z.boolean(),
        isWarning: z.boolean(),
      }),
    )
    .exactOptional(),
}) satisfies z.ZodType<Lab>;

/** A snapshot of 5,000 nodes has about 20 MB. */
const sizeMaxBytes = 268_435_456;

/** @throws EngineError when the directory has no snapshot, or the file is not a snapshot. */
export async function readSnapshot(directory: string, name = snapshotName): Promise<Lab> {
  const file = path.resolve(directory, name);
  let text: string;
  try {
    text = await readTextFile(file, sizeMaxBytes);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new EngineError(`there is no snapshot ${file}; give a topology file, or run "lab create" first`);
    }
    throw new EngineError(`cannot read the snapshot: ${messageOf(error)}`);
  }
  try {
    return labSchema.parse(JSON.parse(text));
  } catch (error) {
    const details = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    throw new EngineError(
      `${file} is not a snapshot of a lab; make it again with "lab create"`,
      details.split('\n'),
    );
  }
}

export async function writeSnapshot(directory: string, lab: Lab): Promise<void> {
  await replaceFile(path.join(directory, snapshotName), `${JSON.stringify(lab, null, 2)}\n`);
}
