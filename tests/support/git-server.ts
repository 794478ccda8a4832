/** A Git server of `git http-backend` behind HTTPS, and repositories with whatever a test wants in them. */
import { spawn, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { once } from 'node:events';
import type http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll } from '@jest/globals';
import { makePair, opensslMissing } from './certificates.ts';
import { requirement } from './requirements.ts';

/** Why there can be no Git server here; undefined when there can. */
export const gitMissing =
  ['git', 'prlimit'].map((name) => requirement(name).missing).find(Boolean) ?? opensslMissing;

const plainGit = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a teacher',
  GIT_AUTHOR_EMAIL: 'teacher@course.example',
  GIT_COMMITTER_NAME: 'a teacher',
  GIT_COMMITTER_EMAIL: 'teacher@course.example',
};

/** An entry of a tree: a file, or anything else by its mode. */
type Entry = string | Buffer | { readonly mode: string; readonly content?: string; readonly object?: string };

type Tree = Map<string, Tree | Exclude<Entry, string | Buffer>>;

export class Repository {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', directory], { env: plainGit });
  }

  git(args: readonly string[], input: string | Buffer = ''): string {
    return execFileSync('git', args, { cwd: this.directory, env: plainGit, input, stdio: 'pipe' })
      .toString('utf8')
      .trim();
  }

  /** Makes a commit of these files, by their paths, the tip of `ref`; its id. */
  commit(files: Readonly<Record<string, Entry>>, ref = 'refs/heads/main'): string {
    const top: Tree = new Map();
    for (const [name, entry] of Object.entries(files)) {
      const parts = name.split('/');
      let tree = top;
      for (const part of parts.slice(0, -1)) {
        const below = tree.get(part);
        const next: Tree = below instanceof Map ? below : new Map();
        tree.set(part, next);
        tree = next;
      }
      const isFile = typeof entry === 'string' || Buffer.isBuffer(entry);
      const object = isFile ? { mode: '100644', object: this.#blob(entry) } : entry;
      tree.set(parts.at(-1) ?? '', object);
    }
    return this.commitTree(this.#write(top), ref);
  }

  commitTree(tree: string, ref = 'refs/heads/main'): string {
    const commit = this.git(['commit-tree', tree, '-m', 'a lab']);
    this.git(['update-ref', ref, commit]);
    return commit;
  }

  #blob(content: string | Buffer): string {
    return this.git(['hash-object', '-w', '--stdin'], content);
  }

  #write(tree: Tree): string {
    const lines = [...tree].map(([name, entry]) => {
      if (entry instanceof Map) return `040000 tree ${this.#write(entry)}\t${name}`;
      const { mode, content = '', object = this.#blob(content) } = entry;
      return `${mode} ${mode === '160000' ? 'commit' : 'blob'} ${object}\t${name}`;
    });
    return this.git(['mktree', '-z', '--missing'], `${lines.join('\0')}\0`);
  }
}

type Handler = (req: http.IncomingMessage, res: http.ServerResponse) => void;

export interface GitServer {
  /** With a slash at the end. */
  readonly url: string;
  /** The variables with which a service may ask it. */
  readonly env: Readonly<Record<string, string>>;
  readonly repository: (name: string) => Repository;
  /** Method, path and login of each request. */
  readonly requests: string[];
  /** Answers in the place of Git; undefined for Git. */
  answer: Handler | undefined;
  readonly backend: Handler;
}

/** As a CGI program (RFC 3875) is run. */
function runBackend(root: string, allowFilter: boolean): Handler {
  return (req, res) => {
    const url = new URL(req.url ?? '/', 'https://server');
    const header = (name: string): string => String(req.headers[name] ?? '');
    const child = spawn('git', ['http-backend'], {
      env: {
        ...plainGit,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: req.method ?? '',
        CONTENT_TYPE: header('content-type'),
        HTTP_CONTENT_ENCODING: header('content-encoding'),
        GIT_PROTOCOL: header('git-protocol'),
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'uploadpack.allowFilter',
        GIT_CONFIG_VALUE_0: String(allowFilter),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    req.pipe(child.stdin);
    res.on('close', () => child.kill());
    let head = Buffer.alloc(0);
    child.stdout.on('data', (piece: Buffer) => {
      if (res.headersSent) return void res.write(piece);
      head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return undefined;
      for (const line of head.subarray(0, end).toString('latin1').split('\r\n')) {
        const [name = '', value = ''] = line.split(/: (.*)/);
        if (name === 'Status') res.statusCode = Number.parseInt(value, 10);
        else res.setHeader(name, value);
      }
      return void res.write(head.subarray(end + 4));
    });
    child.stdout.on('end', () => res.end());
  };
}

const servers: https.Server[] = [];

afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** Serves until the end of the test file. Call in `beforeAll` or a test; only where nothing is `gitMissing`. */
export async function startGitServer(root: string, { allowFilter = true } = {}): Promise<GitServer> {
  const repositories = path.join(root, 'repositories');
  mkdirSync(repositories, { recursive: true });
  const requests: string[] = [];
  const backend = runBackend(repositories, allowFilter);
  const server = https.createServer(makePair(root, 'git-server'), (req, res) => {
    requests.push([req.method, req.url, req.headers.authorization ?? ''].join(' ').trim());
    (made.answer ?? backend)(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const made: GitServer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    env: { LAB_API_GIT_HOSTS: '127.0.0.1', GIT_SSL_CAINFO: path.join(root, 'git-server.cert.pem') },
    repository: (name) => new Repository(path.join(repositories, name)),
    requests,
    answer: undefined,
    backend,
  };
  return made;
}
