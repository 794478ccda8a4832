/** Reads a tar file with an image: from `docker save`, or a layout of the Open Container Initiative (OCI). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { shownPath } from '../../lib/archives/entry-path.ts';
import { readTar, type Pieces, type TarEntry } from '../../lib/archives/read-tar.ts';
import { refuse, tooLarge } from '../../lib/archives/unpack-target.ts';
import { formatSize } from '../../lib/text/size.ts';
import { entryBytes, type Room } from './room.ts';
import { decompressed } from './decompressed.ts';
import { imageName } from '../../lib/text/image-name.ts';

/** A file of the archive. */
interface Stored {
  /** Its place on this machine. */
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
}

/** By their names in the archive. */
type Archive = ReadonlyMap<string, Stored>;

const maxFiles = 10_000;
const maxLayers = 512;
const maxDocumentBytes = 4 * 1024 * 1024;

/** Reads the archive, and keeps its files in `directory`, which is empty. @throws AppError; Error of the system. */
export async function receiveArchive(source: Pieces, directory: string, room: Room): Promise<Archive> {
  const files = new Map<string, Stored>();
  const links = new Map<string, string>();
  let count = 0;
  async function keep(entry: TarEntry): Promise<Stored> {
    const file = path.join(directory, String(count));
    const hash = createHash('sha256');
    let size = 0;
    await room.write(file, entry, (piece) => {
      size += piece.length;
      hash.update(piece);
    });
    return { file, size, sha256: hash.digest('hex') };
  }
  await readTar([decompressed(source)], 'tar file', async (entry) => {
    const { type } = entry.header;
    const linkname = entry.header.linkname ?? '';
    const name = path.posix.normalize(entry.header.name);
    count += 1;
    if (count > maxFiles) throw tooLarge('the number of files of the archive', String(maxFiles));
    await room.take(entryBytes);
    if (type === 'file') files.set(name, await keep(entry));
    // Docker 24 and older: of two equal layers, one is a link.
    else if (type === 'symlink') links.set(name, path.posix.join(path.posix.dirname(name), linkname));
    else if (type === 'link') links.set(name, path.posix.normalize(linkname));
    entry.resume();
  });
  for (const [name, target] of links) {
    const found = files.get(target);
    if (found !== undefined && !files.has(name)) files.set(name, found);
  }
  return files;
}

/** They become words of commands, which have no NUL. */
const word = z.string().regex(/^[^\0]*$/, 'must not contain NUL');
const words = z.array(word).nullish();

const dockerSchema = z
  .array(z.looseObject({ Config: z.string(), RepoTags: words, Layers: z.array(z.string()).max(maxLayers) }))
  .min(1);

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const descriptorSchema = z.looseObject({
  mediaType: z.string().optional(),
  digest,
  platform: z.looseObject({ architecture: z.string(), os: z.string() }).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});
const indexSchema = z.looseObject({ manifests: z.array(descriptorSchema).min(1) });
const manifestSchema = z.looseObject({
  config: descriptorSchema,
  layers: z.array(descriptorSchema).max(maxLayers),
});

const configSchema = z.looseObject({
  architecture: z.string().optional(),
  os: z.string().optional(),
  config: z.looseObject({ Env: words, Entrypoint: words, Cmd: words, WorkingDir: word.nullish() }).nullish(),
  rootfs: z.looseObject({ diff_ids: z.array(digest).max(maxLayers) }),
});

type ImageConfig = z.infer<typeof configSchema>;

export interface ArchivedImage {
  /** SHA-256 of its configuration, in hexadecimal digits: what Docker calls the id of the image. */
  readonly id: string;
  readonly config: ImageConfig;
  /** From the lowest to the highest, with the SHA-256 of its tar file. */
  readonly layers: readonly { readonly file: string; readonly diffId: string }[];
}

/** @throws AppError `archive-refused`. */
function fileIn(archive: Archive, name: string): Stored {
  const stored = archive.get(path.posix.normalize(name));
  if (stored === undefined) throw refuse(`there is no ${shownPath(name)} in it: it is no image, or cut off`);
  return stored;
}

function read<T>(archive: Archive, name: string, schema: z.ZodType<T>): T {
  const stored = fileIn(archive, name);
  if (stored.size > maxDocumentBytes)
    throw tooLarge(`the file ${shownPath(name)}`, formatSize(maxDocumentBytes));
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(stored.file, 'utf8'));
  } catch (error) {
    throw refuse(`${shownPath(name)} is no JSON`, error);
  }
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(
    `${shownPath(name)} is not what it should be: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

/** The file with that digest. */
function blobName(archive: Archive, wanted: string): string {
  const name = `blobs/sha256/${wanted.slice('sha256:'.length)}`;
  const stored = archive.get(name);
  if (stored !== undefined && `sha256:${stored.sha256}` !== wanted)
    throw refuse(`${shownPath(name)} is damaged: its checksum differs from its name`);
  return name;
}

/** The machine in the words of OCI, which are those of Go (GOARCH). */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
const ownArchitecture = architectures[process.arch] ?? process.arch;

function chosen<T>(all: readonly T[], namesOf: (one: T) => readonly string[], name: string): T {
  const [first, second] = all;
  const named = all.find((one) => namesOf(one).some((each) => imageName(each) === name));
  const one = named ?? (second === undefined ? first : undefined);
  if (one !== undefined) return one;
  const names = all.flatMap(namesOf).slice(0, 10).map(shownPath).join(', ');
  throw refuse(
    `it has several images, and none of them is ${shownPath(name)}: ${names || 'they have no names'}`,
  );
}

/** The names of the configuration and the layers. */
interface Parts {
  readonly config: string;
  readonly layers: readonly string[];
}

function dockerParts(archive: Archive, name: string): Parts {
  const all = read(archive, 'manifest.json', dockerSchema);
  const { Config: config, Layers: layers } = chosen(all, ({ RepoTags }) => RepoTags ?? [], name);
  return { config, layers };
}

/** `org.opencontainers.image.ref.name` may be the tag alone. */
const nameAnnotations = ['io.containerd.image.name', 'org.opencontainers.image.ref.name'];

function ociParts(archive: Archive, name: string, indexName = 'index.json', depth = 0): Parts {
  const all = read(archive, indexName, indexSchema).manifests;
  const fitting = all.filter(
    ({ platform }) =>
      platform === undefined || platform === null || platform.architecture === ownArchitecture,
  );
  if (fitting.length === 0) throw refuse(`it has no image for this machine (${ownArchitecture})`);
  const namesOf = ({ annotations }: (typeof all)[number]): readonly string[] =>
    nameAnnotations.flatMap((key) => annotations?.[key] ?? []);
  const { digest: wanted, mediaType = '' } = chosen(fitting, namesOf, name);
  const file = blobName(archive, wanted);
  if (/index|manifest\.list/.test(mediaType)) {
    if (depth > 2) throw refuse('its indexes are nested too deeply');
    return ociParts(archive, name, file, depth + 1);
  }
  const { config, layers } = read(archive, file, manifestSchema);
  return {
    config: blobName(archive, config.digest),
    layers: layers.map((layer) => blobName(archive, layer.digest)),
  };
}

/** @throws AppError `archive-refused` about files that are no image, such as those of `docker export`. */
function assertImage(archive: Archive): void {
  if (archive.size === 0) throw refuse('it is empty');
  if (archive.has('manifest.json') || archive.has('index.json')) return;
  throw refuse('it has no manifest.json and no index.json: make it with "docker save", or as an OCI archive');
}

/** The image in the archive: that called `name` if there are several. @throws AppError `archive-refused`, `payload-too-large`. */
export function imageIn(archive: Archive, name: string): ArchivedImage {
  assertImage(archive);
  const parts = archive.has('manifest.json') ? dockerParts(archive, name) : ociParts(archive, name);
  const config = read(archive, parts.config, configSchema);
  const { architecture = ownArchitecture, os = 'linux' } = config;
  if (architecture !== ownArchitecture || os !== 'linux')
    throw refuse(
      `the image is for ${shownPath(`${os}/${architecture}`)}, and this machine is linux/${ownArchitecture}`,
    );
  const diffIds = config.rootfs.diff_ids;
  if (diffIds.length !== parts.layers.length)
    throw refuse(`it has ${parts.layers.length} layers, and its configuration names ${diffIds.length}`);
  const layers = parts.layers.map((layer, at) => ({
    file: fileIn(archive, layer).file,
    diffId: diffIds[at] ?? '',
  }));
  return { id: fileIn(archive, parts.config).sha256, config, layers };
}
