/** Why `git` failed, in words for the person who asked for the repository. */
import { AppError, fieldError } from '../../lib/app-error.ts';
import { harmlessText } from '../../lib/text/harmless-text.ts';
import { formatSize } from '../../lib/text/size.ts';
import type { RunResult } from '../system/run.ts';

const maxShown = 200;

interface Asked {
  /** The most that the server may send, in bytes. */
  readonly maxBytes: number;
  /** How long the whole may take, in ms. */
  readonly timeoutMs: number;
  /** Whether the server was sent a login. */
  readonly hasLogin: boolean;
}

function aboutLogin({ hasLogin }: Asked): string {
  return hasLogin
    ? 'the repository does not exist, or its server refuses the login that LAB_API_GIT_CREDENTIALS has for this URL'
    : 'the repository needs a login, or does not exist; LAB_API_GIT_CREDENTIALS has none for this URL';
}

/** Of several, the first one whose words are there counts. */
const causes: readonly {
  readonly words: RegExp;
  readonly code: 'source-not-found' | 'source-failed';
  /** Default: `source.git`. */
  readonly field?: 'source.ref';
  readonly why: string | ((asked: Asked) => string);
}[] = [
  {
    words: /couldn't find remote ref HEAD/,
    code: 'source-not-found',
    why: 'the repository is empty, has no default branch, or is no Git repository',
  },
  {
    words: /couldn't find remote ref|not our ref|invalid refspec/,
    code: 'source-not-found',
    field: 'source.ref',
    why: 'the repository has no such branch, tag or commit; a commit needs its whole id',
  },
  {
    words: /could not read Username|Authentication failed|returned error: 40[13]/,
    code: 'source-failed',
    why: aboutLogin,
  },
  { words: /not found/, code: 'source-not-found', why: 'there is no such repository' },
  {
    words: /info\/refs not valid/,
    code: 'source-not-found',
    why: 'there is something else than a Git repository at this URL (that often ends in .git)',
  },
  {
    words: /returned error: 30\d|unable to update url base/,
    code: 'source-failed',
    why: 'the server redirects to another URL: give that one (it often ends in .git)',
  },
  {
    words: /certificate|SSL|TLS/,
    code: 'source-failed',
    why: "the server's certificate is not trusted; GIT_SSL_CAINFO of the service can name a file of authorities",
  },
  { words: /Could not resolve host/, code: 'source-failed', why: 'the host name is unknown' },
  {
    words: /Failed to connect/,
    code: 'source-failed',
    why: 'the server refuses connections, or does not answer',
  },
  { words: /Operation too slow|timed out/, code: 'source-failed', why: 'the server does not answer' },
  {
    words: /dumb http/,
    code: 'source-failed',
    why: 'the server is too old: it cannot send one commit alone',
  },
];

/** The last sentence of git itself. A server may have written what follows "remote error". */
function lastWords(stderr: string): string {
  const line =
    stderr.split('\n').findLast((one) => /^(fatal|error): /.test(one)) ?? 'git failed without a word';
  return harmlessText(line.slice(0, maxShown));
}

/** The error about a `git` that did not succeed. */
export function gitFailure({ ended, exitCode, spawnError, ...result }: RunResult, asked: Asked): AppError {
  const stderr = result.stderr.toString('utf8');
  const limit = formatSize(asked.maxBytes);
  if (ended === 'timeout' || ended === 'aborted')
    return fieldError('source-failed', 'source', `it took longer than ${asked.timeoutMs / 1000} seconds`);
  if (ended === 'too-much-output')
    return fieldError('payload-too-large', 'source', 'the repository has too many files');
  // prlimit(1) cannot start it.
  if (spawnError !== null || exitCode === 127 || /prlimit: failed to execute/.test(stderr))
    return new AppError(
      'not-supported',
      'source: this server lacks git or prlimit: install git and util-linux',
    );
  if (/No space left/.test(stderr))
    return new AppError('disk-full', 'source: the disk of the workspaces is full', { retryAfterSeconds: 60 });
  if (/index-pack|File too large|out of memory|malloc failed/i.test(stderr))
    return fieldError(
      'payload-too-large',
      'source.git',
      `the server sends over ${limit}, the limit by LAB_API_MAX_WORKSPACE_SIZE and the free disk, or what it sends is damaged`,
    );
  const known = causes.find(({ words }) => words.test(stderr));
  if (known === undefined) return fieldError('source-failed', 'source.git', lastWords(stderr));
  const why = typeof known.why === 'string' ? known.why : known.why(asked);
  return fieldError(known.code, known.field ?? 'source.git', why);
}
