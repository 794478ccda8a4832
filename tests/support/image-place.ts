import { expect } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { EngineContext } from '../../src/engine/core/engine-context.ts';
import { addImage, type Image } from '../../src/engine/images/image-store.ts';

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  // Smaller than a header, as a slow client sends them.
  for (let at = 0; at < bytes.length; at += 500) yield bytes.subarray(at, at + 500);
}

/** A directory with images. */
export class ImagePlace {
  context: EngineContext;
  readonly directory: string;

  constructor(root: string) {
    const place = mkdtempSync(path.join(root, 'images-'));
    this.directory = path.join(place, 'home/images');
    this.context = {
      home: path.join(place, 'home'),
      cwd: place,
      runDir: path.join(place, 'run'),
      seesKernel: false,
      out: () => undefined,
      err: () => undefined,
      interrupted: new AbortController().signal,
    };
  }

  async add(
    archive: Buffer,
    name = 'demo:1',
    limits = { maxBytes: Infinity, minFreeBytes: 0 },
  ): Promise<Image> {
    return addImage(this.context, name, pieces(archive), limits);
  }

  /** Without the files of their locks. */
  trees(): readonly string[] {
    const trees = path.join(this.directory, 'trees');
    return existsSync(trees) ? readdirSync(trees).filter((name) => !name.endsWith('.lock')) : [];
  }

  /** Each root file system belongs to an image. */
  expectWhole(): void {
    if (!existsSync(this.directory)) return;
    const records = readdirSync(this.directory).filter((name) => name.endsWith('.json'));
    expect(this.trees()).toHaveLength(records.length);
  }
}
