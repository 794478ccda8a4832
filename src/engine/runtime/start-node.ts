/** Starts the first process of a node. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { deferred } from '../../lib/async/deferred.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { namespaceFile } from '../system/namespace-files.ts';
import { readTextFile } from '../system/files.ts';
import { startFailure } from '../system/run-program.ts';
import type { ContainerLab, ContainerNode } from './lab-file.ts';
import { nodeDirectory } from './lab-records.ts';
import { environmentWords, insideScript, ownEnvironment, startScript } from './node-script.ts';

const logMaxBytes = 4 * 1024 * 1024;

/** Once its programs are started, their errors go into the log. */
async function endOfLog(directory: string): Promise<string> {
  const log = await readTextFile(path.join(directory, 'log'), logMaxBytes).catch(() => '');
  return log.trim().split('\n').at(-1) || 'it ended at once';
}

/**
 * Returns once the programs of the node have started. Until its namespaces are made, the node ends with this program:
 * a node that no one waits for would start in a lab that is gone.
 * @throws EngineError with the error output of the node; the reason of the interruption.
 */
export async function startNode(
  context: EngineContext,
  lab: ContainerLab,
  node: ContainerNode,
): Promise<void> {
  const directory = nodeDirectory(context, lab.instance, node.container);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(path.join(directory, 'environment'), `${environmentWords(node)}\n`);
  const file = path.join(directory, 'start');
  await writeFile(file, startScript(lab, node, directory));
  await writeFile(path.join(directory, 'inside'), insideScript(node, directory));
  // The listener below sees only an interruption that is still to come.
  context.interrupted.throwIfAborted();
  const net = `--net=${namespaceFile(context.runDir, node.container)}`;
  const own = ['--mount', '--uts', '--ipc', '--pid', '--fork', '--propagation', 'slave'];
  const child = spawn('nsenter', [net, 'unshare', ...own, 'sh', file], {
    cwd: '/',
    detached: true,
    // The node outlives this program and its job: cancelling a job ends all processes with its LAB_JOB_ID.
    env: ownEnvironment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const started = deferred<boolean>();
  let complaint = '';
  let mayGo = false;
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.once('error', (error) => started.reject(startFailure('nsenter', error)));
  child.once('close', () => started.resolve(false));
  createInterface(child.stdout).on('line', (line) => {
    if (line === 'made' && !context.interrupted.aborted) {
      mayGo = true;
      child.stdin.write('go\n');
    } else if (line === 'started') started.resolve(true);
    else if (line.startsWith('late: '))
      context.err(`Warning: ${line.slice('late: '.length)} did not start in time on ${node.name}\n`);
  });
  const stop = (): void => {
    child.stdin.destroy();
    // Its commands may take any time.
    if (mayGo) started.reject(context.interrupted.reason as Error);
  };
  context.interrupted.addEventListener('abort', stop);
  try {
    const isStarted = await started.promise;
    context.interrupted.throwIfAborted();
    if (!isStarted) {
      const [why = ''] = complaint.trim().split('\n');
      throw new EngineError(`cannot start the node ${node.name}: ${why || (await endOfLog(directory))}`);
    }
  } finally {
    context.interrupted.removeEventListener('abort', stop);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
  }
}
