/** Labs of the bundled engine, and services with it, for tests of scenarios. */
import { expect } from '@jest/globals';
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, lab, missingForAnyLabs } from './engine-cli.ts';
import { eventually } from './eventually.ts';
import { preparedLabs, ringTopology } from './prepared-labs.ts';
import { requirement } from './requirements.ts';
import { makeGround, startProgram, type Ground, type RunningProgram } from './service.ts';

const topology = `${ringTopology}validate:
  there: { nodes: [h1], plugin: "ping('h2')" }
  unknowable: { nodes: [h1], devices: [linux], exec: echo no, valid: int(stdout) > 5 }
  hanging: { nodes: [h1], devices: [linux], exec: sleep 1234, valid: "True" }
`;

export const entriesOf = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

/** To be called at the top of a file. `needs`: programs beside fping. */
export function scenarioLabs(...needs: readonly string[]) {
  const missing = ['fping', ...needs]
    .map((program) => requirement(program).missing)
    .find((why) => why !== undefined);
  const { because, home, it, root, takeDownLater } = preparedLabs({
    missing: missingForAnyLabs() ?? missing,
  });

  /** A canceled scenario has time to heal, as with the default, on a busy machine too. */
  const env = { LAB_API_CLI: 'engine', LAB_HOME: home, LAB_API_CANCEL_GRACE: '20s' };
  const engineService = async (
    ground: Ground = makeGround(),
    ...args: readonly string[]
  ): Promise<RunningProgram> => startProgram({ ground, env, args });

  async function upIn(service: RunningProgram) {
    const instance = String(freeInstanceNumber());
    const where = { home, directory: path.join(root, `scenarios-${instance}`) };
    mkdirSync(where.directory);
    takeDownLater({ where, instance });
    const up = await service.start({
      action: 'up',
      workdir: where.directory,
      multilabId: Number(instance),
      topology,
    });
    expect(await service.ended(up)).toMatchObject({ state: 'success' });
    const inside = async (node: string, ...command: string[]) =>
      lab(where, ['connect', '--instance', instance, node, '--', ...command]);
    const network = (await inside('h1', 'readlink', '/proc/self/ns/net')).stdout.trim();
    expect(network).toMatch(/^net:/);
    /** The programs in the network of h1. */
    const probes = (): string[] =>
      entriesOf('/proc').filter((pid) => {
        try {
          return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/ns/net`) === network;
        } catch {
          return false;
        }
      });
    const expectNothingLeft = async (running: RunningProgram) => {
      await eventually('no probe is left', async () => Promise.resolve(probes().length === 0));
      await eventually('nothing is broken', async () => {
        const { faults } = (await running.get(`/labs/${instance}`)).json as { faults: unknown[] };
        return faults.length === 0;
      });
      await eventually(
        'h1 reaches h2',
        async () => (await inside('h1', 'ping', '-c1', '-W1', 'h2')).exitCode === 0,
      );
    };
    const request = (scenario: unknown) => ({ action: 'scenario', instance, scenario });
    return { instance, where, probes, expectNothingLeft, request };
  }

  return { because, home, it, root, engineService, upIn };
}
