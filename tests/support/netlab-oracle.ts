import { afterAll } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
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

/** Starts tests/fixtures/netlab/oracle.py with netlab's own Python. */
function startOracle() {
  const python = /^#!(\S+)/.exec(readFileSync(netlab.file, 'utf8'))?.[1] ?? 'python3';
  const program = path.resolve(__dirname, '../fixtures/netlab/oracle.py');
  // Without the defaults of all devices, which take netlab longer to write than all the rest takes.
  const args = [program, 'create', '-o', 'json:nodefault=lab.json', 'topology.yml'];
  const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const codes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, codes };
}

let oracle: ReturnType<typeof startOracle> | undefined;
afterAll(() => void oracle?.child.stdin.end());

/**
 * The lab that the real netlab computes for a topology as it is, without a word added (`netlab create`); starts nothing.
 * One topology at a time. Rejects when netlab refuses it.
 */
export async function netlabLab(text: string): Promise<NetlabLab> {
  const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), 'lab-api-netlab-')));
  try {
    await writeFile(path.join(directory, 'topology.yml'), text);
    oracle ??= startOracle();
    oracle.child.stdin.write(`${directory}\n`);
    const { value: code } = await oracle.codes.next();
    if (code !== '0') {
      const output = await readFile(path.join(directory, 'output'), 'utf8').catch(() => '');
      throw new Error(`netlab create ended with ${code ?? 'its interpreter'}: ${output}`);
    }
    return JSON.parse(await readFile(path.join(directory, 'lab.json'), 'utf8')) as NetlabLab;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
