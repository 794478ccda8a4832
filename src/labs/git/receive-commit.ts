/**
 * Brings the files of one directory of one commit to the disk. `git` fetches the commit without its history and, where the server
 * can do that, without its other files. It checks nothing out: the service reads each file out of the pack and writes it as it
 * writes the files of an upload, so that links, filters, attributes and hooks of the repository have no meaning.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { AppError, fieldError, invalidField } from '../../lib/app-error.ts';
import { RatioGuard } from '../../lib/archives/ratio-guard.ts';
import { tooLarge, UnpackTarget, type UnpackLimits } from '../../lib/archives/unpack-target.ts';
import { linkSignals } from '../../lib/async/linked-signal.ts';
import { filesSizeNow } from '../../lib/files/file-size.ts';
import { addressesOf, exchangeProblem, parseOutboundUrl } from '../../lib/net/outbound-url.ts';
import type { GitCommit, GitSource } from '../model/git-source.ts';
import { runCaptured, type RunResult } from '../system/run.ts';
import { ByteReader } from './byte-reader.ts';
import { readListing } from './commit-files.ts';
import { hasLoginFor, localEnvironment, remoteEnvironment, type GitCredential } from './git-environment.ts';
import { gitFailure } from './git-failure.ts';

/** Below the time that a host of a cluster is waited for (src/cluster/submissions.ts). */
const totalMs = 45_000;

/** Of each `git`: what a server sends may unpack to much more. */
const maxMemoryBytes = 1024 ** 3;

const variable = 'LAB_API_GIT_HOSTS';

export interface GitSettings {
  /** Those that may be asked; none when empty. */
  readonly hosts: readonly string[];
  readonly credentials: readonly GitCredential[];
  /** The service's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CommitTarget {
  /** An empty directory of our own, for the files. */
  readonly directory: string;
  /** Where the repository may be kept meanwhile: nothing is there. */
  readonly file: string;
  readonly limits: UnpackLimits;
  /** The most that the server may send at once. */
  readonly maxSentBytes: number;
  /** Told of every piece before it is written. @throws to end it. */
  readonly take: (bytes: number) => Promise<void>;
}

interface ReceivedCommit {
  readonly commit: GitCommit;
  /** Sentences about what is left out. */
  readonly warnings: readonly string[];
  readonly amount: ReturnType<UnpackTarget['amount']>;
}

/** How a server calls a change that is proposed: GitHub, Gitea and Forgejo, and GitLab. */
const proposals: readonly (readonly [RegExp, string])[] = [
  [/^(?:refs\/)?(pull\/\d+)$/, '/head'],
  [/^(?:refs\/)?(merge-requests\/\d+)$/, '/head'],
];

function fullRef(ref: string): string {
  for (const [pattern, end] of proposals) {
    const name = pattern.exec(ref)?.[1];
    if (name !== undefined) return `refs/${name}${end}`;
  }
  return ref;
}

/** `labs/ospf` for `./labs//ospf/`. */
function plainPath(given: string): string {
  return given
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** @throws AppError `forbidden-host`, `invalid-request`, `source-failed`. */
async function checkHost(url: string, hosts: readonly string[], signal: AbortSignal): Promise<string> {
  const field = 'source.git';
  const remedy = `an administrator names the hosts of repositories in ${variable}`;
  if (hosts.length === 0) throw fieldError('forbidden-host', field, `Git is off on this server: ${remedy}`);
  const parsed = parseOutboundUrl(field, url);
  if (parsed.protocol !== 'https:') throw invalidField(field, 'must be an https URL');
  try {
    await addressesOf(parsed, { field, variable, allowedHosts: hosts, signal });
  } catch (error) {
    throw error instanceof AppError ? error : fieldError('source-failed', field, exchangeProblem(error));
  }
  return parsed.href;
}

class Fetching {
  readonly #target: CommitTarget;
  readonly #signal: AbortSignal;
  readonly #local: Record<string, string>;
  readonly #remote: Record<string, string>;
  readonly #repository: string;
  readonly #hasLogin: boolean;

  constructor(
    target: CommitTarget,
    signal: AbortSignal,
    { url, settings }: { url: string; settings: GitSettings },
  ) {
    this.#target = target;
    this.#signal = signal;
    this.#repository = path.join(target.file, 'repository');
    const place = { repository: this.#repository, home: target.file };
    this.#local = localEnvironment(settings.env, place);
    this.#hasLogin = hasLoginFor(url, settings.credentials);
    this.#remote = remoteEnvironment(settings.env, place, { url, credentials: settings.credentials });
  }

  /** @throws AppError about a `git` that fails. */
  async #git(
    args: readonly string[],
    {
      env = this.#local,
      ...more
    }: Partial<Pick<Parameters<typeof runCaptured>[2], 'env' | 'input' | 'read'>> = {},
  ): Promise<Buffer> {
    const limits = [`--fsize=${this.#target.maxSentBytes}`, `--as=${maxMemoryBytes}`, '--core=0'];
    const result = await runCaptured('prlimit', [...limits, '--', 'git', ...args], {
      ...more,
      env,
      cwd: this.#target.file,
      timeoutMs: totalMs,
      signal: this.#signal,
    });
    if (result.exitCode === 0 && result.ended === null) return result.stdout;
    throw this.#failure(result);
  }

  #failure(result: RunResult): AppError {
    const maxBytes = this.#target.maxSentBytes;
    return gitFailure(result, { maxBytes, timeoutMs: totalMs, hasLogin: this.#hasLogin });
  }

  async #fetch(args: readonly string[], input?: AsyncIterable<Uint8Array>): Promise<void> {
    const plain = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-maintenance'];
    const part = ['--depth=1', '--filter=blob:none'];
    await this.#git(['fetch', ...plain, ...part, ...args], { env: this.#remote, ...(input && { input }) });
  }

  /** The id of the commit; its directories are in the repository then. */
  async commit(ref: string): Promise<string> {
    await mkdir(this.#target.file);
    await this.#git(['init', '--quiet', '--bare', '--template=', this.#repository]);
    await this.#fetch(['origin', '--', fullRef(ref)]);
    const found = await this.#git(['rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}']).catch(() => {
      throw fieldError('source-not-found', 'source.ref', 'is no commit');
    });
    return found.toString('latin1').trim();
  }

  async list(commit: string, directory: string): Promise<ReturnType<typeof readListing>> {
    const listing = await this.#git(['ls-tree', '-r', '-z', '--full-tree', `${commit}:${directory}`]).catch(
      (error: unknown) => {
        if (error instanceof AppError && error.code !== 'source-failed') throw error;
        const why = 'is no directory of that commit; "topologyPath" (--topology-path) names a file in it';
        throw fieldError('source-not-found', 'source.path', why);
      },
    );
    const listed = readListing(listing);
    const { maxEntries } = this.#target.limits;
    if (listed.files.length > maxEntries)
      throw tooLarge('the number of files and directories', String(maxEntries));
    return listed;
  }

  /** Writes the files. */
  async write({ files }: ReturnType<typeof readListing>): Promise<ReceivedCommit['amount']> {
    const { directory, limits, take } = this.#target;
    const lines = Buffer.from(files.map(({ object }) => `${object}\n`).join(''));
    const input = (): AsyncIterable<Uint8Array> => once(lines);
    if (files.length > 0) await this.#fetch(['--no-write-fetch-head', '--stdin', 'origin'], input());
    const guard = new RatioGuard(limits.maxRatio);
    guard.bytesIn = filesSizeNow(path.join(this.#repository, 'objects', 'pack'));
    const onBytes = async (bytes: number): Promise<void> => {
      guard.addOut(bytes);
      await take(bytes);
    };
    const target = new UnpackTarget(directory, limits, { onBytes });
    let written = 0;
    try {
      const read = async (output: AsyncIterable<Uint8Array>): Promise<void> => {
        const reader = new ByteReader(output);
        for (const { path: name, isProgram } of files) {
          const size = /^[0-9a-f]+ blob (\d+)$/.exec(await reader.line(200))?.[1];
          if (size === undefined)
            throw fieldError('source-failed', 'source.git', 'the server did not send every file');
          await target.addFile(name, reader.bytes(Number(size)), isProgram);
          await reader.line(1);
          written += 1;
        }
      };
      await this.#git(['cat-file', '--batch'], { input: input(), read });
      if (written < files.length)
        throw fieldError('source-failed', 'source.git', 'the files of the commit cannot be read');
      await target.finish();
      return target.amount();
    } finally {
      await target.settle();
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  await Promise.resolve();
  yield bytes;
}

/** Of what is common with uploads; the sentence names the field. */
function aboutSource(error: unknown): unknown {
  if (!(error instanceof AppError) || error.message.startsWith('source')) return error;
  const { code, message, cause, retryAfterSeconds, errors, extra } = error;
  const told = message.replace('the archive is refused', 'the repository is refused');
  return new AppError(code, `source: ${told}`, {
    cause,
    errors,
    extra,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/**
 * Writes the files of a commit into an empty directory, and has all of them on disk for good: within the limits, in 45 s, and
 * from an allowed host. Each of `signals` ends it.
 * @throws AppError `forbidden-host`, `source-not-found`, `source-failed`, `archive-refused`, `payload-too-large`,
 * `quota-exceeded`, `disk-full`, `not-supported`; Error of the system.
 */
export async function receiveCommit(
  source: GitSource,
  target: CommitTarget,
  settings: GitSettings,
  signals: readonly AbortSignal[],
): Promise<ReceivedCommit> {
  const linked = linkSignals(...signals, AbortSignal.timeout(totalMs));
  try {
    const url = await checkHost(source.git, settings.hosts, linked.signal);
    const fetching = new Fetching(target, linked.signal, { url, settings });
    const commit = await fetching.commit(source.ref ?? 'HEAD');
    const directory = plainPath(source.path ?? '');
    const listed = await fetching.list(commit, directory);
    const amount = await fetching.write(listed);
    const came = {
      git: source.git,
      ref: source.ref ?? null,
      path: directory === '' ? null : directory,
      commit,
    };
    return { commit: came, warnings: listed.warnings, amount };
  } catch (error) {
    throw aboutSource(error);
  } finally {
    linked.unlink();
  }
}
