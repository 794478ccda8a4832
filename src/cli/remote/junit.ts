/** `--junit FILE`: the results of a job for a CI system. */
import type { Command } from 'commander';
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../client/api-types.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { messageOf } from '../../lib/app-error.ts';
import { complain } from './ending.ts';
import { UsageError } from './server.ts';

const report = 'junit.xml';

export function withJunit(command: Command): Command {
  return command.option('--junit <file>', 'write the results to this file, as JUnit XML');
}

/** Before the job: its results are lost to a pipeline that cannot write them. @throws UsageError */
export function checkJunit(file: string | undefined): void {
  if (file === undefined) return;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new UsageError(`--junit: ${file} is a directory: name a file`);
    // With the separator, a file in its place is an error, too.
    accessSync(found === undefined ? path.dirname(file) + path.sep : file, constants.W_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = isMissing ? `there is no directory ${path.dirname(file)}` : messageOf(error);
    throw new UsageError(`--junit: ${why}`);
  }
}

/** Writes the results, also when tests failed. Returns whether that worked; there are none if the job ended too early. */
export async function writeJunit(client: LabApiClient, { id }: Job, file: string): Promise<boolean> {
  try {
    writeFileSync(file, await client.workspaces.readArtifactText(id, report));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) complain(`${id} has no ${report}`);
    else complain(`--junit: ${messageOf(error)}`);
    return false;
  }
}
