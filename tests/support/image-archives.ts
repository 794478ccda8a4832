/** Archives with images, as `docker save` and tools of OCI write them, and as nobody should. */
import { createHash } from 'node:crypto';
import { tarOf, type Member } from './archives.ts';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** GOARCH of this machine. */
export const ownArchitecture = process.arch === 'x64' ? 'amd64' : process.arch;

const others = ['mount', 'umount', 'mkdir', 'rmdir', 'ln', 'chmod', 'dirname', 'sed', 'sleep'];

/** The programs that each image must have: one file of 12 bytes with many names. */
export const shell: readonly Member[] = [
  { name: 'bin/sh', content: '#!/bin/true\n', mode: 0o755 },
  { name: 'usr/bin/env', type: '1', link: 'bin/sh' },
  ...others.map((name) => ({ name: `bin/${name}`, type: '2', link: 'sh' })),
];

/** The size of an image of these programs alone. */
export const shellSize = 12 + 4096 * shell.length;

interface ImageSpec {
  /** Tar files, from the lowest to the highest. */
  readonly layers: readonly Buffer[];
  /** The layers as the archive has them, if they differ from `layers`: compressed. */
  readonly stored?: readonly Buffer[];
  readonly config?: Readonly<Record<string, unknown>>;
  /** In place of the configuration of the image. */
  readonly document?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[] | null;
}

function configOf({ layers, config = {}, document = {} }: ImageSpec): Buffer {
  const rootfs = { type: 'layers', diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) };
  return Buffer.from(
    JSON.stringify({ architecture: ownArchitecture, os: 'linux', config, rootfs, ...document }),
  );
}

/** The files of `docker save` (Docker 24), for several images. */
export function dockerMembers(...images: readonly ImageSpec[]): Member[] {
  const members: Member[] = [];
  const manifest = images.map((image) => {
    const config = configOf(image);
    const names = (image.stored ?? image.layers).map((layer) => {
      const name = `${sha256(layer)}/layer.tar`;
      members.push({ name, content: layer });
      return name;
    });
    const file = `${sha256(config)}.json`;
    members.push({ name: file, content: config });
    return { Config: file, RepoTags: image.tags ?? null, Layers: names };
  });
  return [...members, { name: 'manifest.json', content: JSON.stringify(manifest) }];
}

export const dockerArchive = (...images: readonly ImageSpec[]): Buffer => tarOf(...dockerMembers(...images));

interface Descriptor {
  readonly mediaType?: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An OCI layout: `add` keeps a blob, and gives its descriptor. */
export class OciLayout {
  readonly members: Member[] = [];

  add(content: Buffer | object, more: Partial<Descriptor> = {}): Descriptor {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    this.members.push({ name: `blobs/sha256/${sha256(bytes)}`, content: bytes });
    return { digest: `sha256:${sha256(bytes)}`, size: bytes.length, ...more };
  }

  image(image: ImageSpec, more: Partial<Descriptor> = {}): Descriptor {
    const layers = (image.stored ?? image.layers).map((layer) => this.add(layer));
    return this.add({ config: this.add(configOf(image)), layers }, more);
  }

  archive(...manifests: readonly Descriptor[]): Buffer {
    return tarOf(...this.members, { name: 'index.json', content: JSON.stringify({ manifests }) });
  }
}
