import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requirement } from './requirements.ts';

interface NetlabInterface {
  readonly ifname: string;
  readonly linkindex: number;
  readonly type: string;
  readonly ipv4?: string;
  readonly ipv6?: string;
  readonly mtu?: number;
  readonly gateway?: { readonly ipv4?: string };
}

interface NetlabNode {
  readonly id: number;
  readonly role: string;
  readonly loopback?: { readonly ipv4?: string; readonly ipv6?: string };
  readonly interfaces: readonly NetlabInterface[];
}

interface NetlabLab {
  readonly nodes: Readonly<Record<string, NetlabNode>>;
  readonly links?: readonly {
    readonly type: string;
    readonly prefix?: Readonly<Record<string, unknown>> | false;
  }[];
}

export const netlab = requirement('netlab');

/**
 * What the real netlab computes for a topology as it is, without a word added (`netlab create`); starts nothing. Rejects
 * when netlab refuses it.
 */
export async function netlabLab(text: string): Promise<NetlabLab> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'lab-api-netlab-'));
  try {
    await writeFile(path.join(directory, 'topology.yml'), text);
    // Without the defaults of all devices, which take netlab longer to write than all the rest takes.
    await promisify(execFile)(netlab.file, ['create', '-o', 'json:nodefault=lab.json', 'topology.yml'], {
      cwd: directory,
      env: { ...process.env, HOME: directory },
    });
    return JSON.parse(await readFile(path.join(directory, 'lab.json'), 'utf8')) as NetlabLab;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
