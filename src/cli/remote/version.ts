/** `lab version`: prints the version; with `--check`, says whether client and server work together. */
import type { Command } from 'commander';
import { UnexpectedReply } from '../../client/service-error.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { harmless } from './tables.ts';

interface VersionOptions {
  readonly output: 'table' | 'json';
  readonly check?: boolean;
}

/** MAJOR and MINOR of a semantic version. @throws UnexpectedReply */
function numbersOf(version: string): readonly [number, number] {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\./.exec(version) ?? [];
  if (major === undefined) throw new UnexpectedReply('the server does not tell its version');
  return [Number(major), Number(minor)];
}

/** Within a major version, a newer one only adds (docs/upgrading.md). */
function compare(client: string, server: string) {
  const [ownMajor, ownMinor] = numbersOf(client);
  const [major, minor] = numbersOf(server);
  const isCompatible = major === ownMajor;
  let sentence = 'They work together.';
  if (!isCompatible)
    sentence = `The major versions differ: commands may fail. Use the lab command of lab-api ${major}.`;
  else if (minor < ownMinor)
    sentence = 'They work together; the server refuses the additions of newer versions.';
  return { isCompatible, sentence };
}

export function addVersionCommand(program: Command, client: string): void {
  withOutput(
    withServerOptions(
      program
        .command('version')
        .description('print the version; --check compares it with the version of a lab-api server'),
    ),
  )
    .option('--check', 'ask the server, and end with 1 unless it has the same major version')
    .action(async ({ output, check }: VersionOptions, command: Command) =>
      endWith(command, async () => {
        if (check !== true) {
          if (output === 'json') printJson({ client });
          else process.stdout.write(`${client}\n`);
          return 0;
        }
        const { name, version } = await (await clientFor(command)).request('GET', '/');
        if (name !== 'lab-api') throw new UnexpectedReply('the server is not lab-api');
        const server = String(version);
        const { isCompatible, sentence } = compare(client, server);
        if (output === 'json') printJson({ client, server, isCompatible });
        else process.stdout.write(`client ${client}, server ${harmless(server)}\n${sentence}\n`);
        return isCompatible ? 0 : 1;
      }),
    );
}
