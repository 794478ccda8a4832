/** Files in and out: workspaces, and what jobs have made. */
import type { Artifact, TopologyCheck, TopologyCheckRequest, Workspace, WorkspaceFile } from './api-types.ts';
import type { Connection } from './connection.ts';
import { SharesClient } from './shares-client.ts';
import { asArtifacts, asTopologyCheck, asWorkspace, asWorkspaceFiles, asWorkspaces } from './expected.ts';

/** An archive, or a file: bytes, a file of a browser, or a stream that is sent while it is made (which browsers refuse to send). */
export type UploadBody = Uint8Array | Blob | ReadableStream<Uint8Array>;

export type ArchiveFormat = 'tar.gz' | 'zip';

const archiveTypes: Readonly<Record<ArchiveFormat, string>> = {
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
};

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const pathOf = (name: string): string => `/workspaces/${encodeURIComponent(name)}`;
const fileOf = (name: string, path: string): string => `${pathOf(name)}/files/${encoded(path)}`;
const artifactsOf = (id: string): string => `/jobs/${encodeURIComponent(id)}/artifacts`;

function streamOf(body: UploadBody): Blob | ReadableStream<Uint8Array> {
  return body instanceof Uint8Array ? new Blob([new Uint8Array(body)]) : body;
}

/** Methods throw as those of LabApiClient do. A reply that broke off has thrown when it is read to its end. */
export class WorkspacesClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async list(): Promise<readonly Workspace[]> {
    return asWorkspaces(await this.#connection.json('GET', '/workspaces'));
  }

  async get(name: string): Promise<Workspace> {
    return asWorkspace(await this.#connection.json('GET', pathOf(name)));
  }

  /** Makes an empty workspace, unless it is there; with a `template`, a new one with a copy of it and of the files beside it. */
  async make(name: string, query: { readonly template?: string } = {}): Promise<Workspace> {
    return asWorkspace(await this.#connection.json('PUT', pathOf(name), { query }));
  }

  /** Replaces all files of a workspace with those of an archive, or makes it: all of them, or nothing changes. */
  async replace(name: string, body: UploadBody, format: ArchiveFormat = 'tar.gz'): Promise<Workspace> {
    const headers = { 'Content-Type': archiveTypes[format] };
    const stream = streamOf(body);
    return asWorkspace(await this.#connection.json('PUT', pathOf(name), { headers, stream }));
  }

  /** All of its files. */
  async download(name: string, format: ArchiveFormat = 'tar.gz'): Promise<Response> {
    return this.#connection.send('GET', pathOf(name), { query: { format } });
  }

  async remove(name: string): Promise<void> {
    await this.#connection.send('DELETE', pathOf(name));
  }

  /** The files in a directory of a workspace, or also in those below it; at most 10,000 entries. */
  async files(
    name: string,
    query: { readonly path?: string; readonly recursive?: boolean } = {},
  ): Promise<readonly WorkspaceFile[]> {
    return asWorkspaceFiles(await this.#connection.json('GET', `${pathOf(name)}/files`, { query }));
  }

  /** Has a lab CLI look at a topology, alone or with the files of a `workspace`. It ends with `signal`. */
  async check(
    body: TopologyCheckRequest,
    { signal, ...query }: { readonly cli?: string | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<TopologyCheck> {
    const reply = this.#connection.json('POST', '/topologies/check', {
      body,
      query,
      ...(signal && { signal }),
    });
    return asTopologyCheck(await reply);
  }

  /** A client for the shares of a workspace. */
  shares(name: string): SharesClient {
    return new SharesClient(this.#connection, pathOf(name));
  }

  async readFile(name: string, path: string): Promise<Response> {
    return this.#connection.send('GET', fileOf(name, path));
  }

  /** Writes a file; gives its new entity tag. With `ifMatch`, only when the file still has that one. */
  async writeFile(
    name: string,
    path: string,
    body: UploadBody,
    { ifMatch }: { readonly ifMatch?: string } = {},
  ): Promise<string | null> {
    const headers = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    const reply = await this.#connection.send('PUT', fileOf(name, path), { headers, stream: streamOf(body) });
    await reply.body?.cancel();
    return reply.headers.get('ETag');
  }

  async removeFile(name: string, path: string): Promise<void> {
    await this.#connection.send('DELETE', fileOf(name, path));
  }

  /** The files that a job made. */
  async artifacts(id: string): Promise<readonly Artifact[]> {
    return asArtifacts(await this.#connection.json('GET', artifactsOf(id)));
  }

  async readArtifact(id: string, path: string): Promise<Response> {
    return this.#connection.send('GET', `${artifactsOf(id)}/${encoded(path)}`);
  }

  async readArtifactText(id: string, path: string): Promise<string> {
    return this.#connection.text('GET', `${artifactsOf(id)}/${encoded(path)}`);
  }

  /** All that a job has made. */
  async downloadArtifacts(id: string, format: ArchiveFormat = 'tar.gz'): Promise<Response> {
    return this.#connection.send('GET', artifactsOf(id), { query: { format } });
  }
}
