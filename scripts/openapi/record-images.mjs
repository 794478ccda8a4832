/** Records the requests about images. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';

/** An archive of `docker save` with an image of one file. */
async function imageArchive() {
  const tarOf = async (/** @type {readonly [string, Buffer][]} */ ...files) => {
    const pack = tar.pack();
    for (const [name, content] of files) pack.entry({ name, mode: 0o755 }, content);
    pack.finalize();
    return buffer(pack);
  };
  const program = Buffer.from('#!/bin/true\n');
  const others = ['mount', 'umount', 'mkdir', 'rmdir', 'ln', 'chmod', 'dirname', 'sed', 'sleep'];
  const names = ['bin/sh', 'usr/bin/env', ...others.map((name) => `bin/${name}`)];
  const layer = await tarOf(...names.map((name) => /** @type {[string, Buffer]} */ ([name, program])));
  const digest = createHash('sha256').update(layer).digest('hex');
  const config = { os: 'linux', rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] } };
  const manifest = [{ Config: 'config.json', RepoTags: ['tools:1'], Layers: ['layer.tar'] }];
  const json = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value));
  return tarOf(['layer.tar', layer], ['config.json', json(config)], ['manifest.json', json(manifest)]);
}

/** @param {{ ask: (call: string, options?: { as?: string, upload?: string | Buffer }) => Promise<unknown> }} recorder */
export async function recordImages(recorder) {
  await recorder.ask('PUT /images/tools:1', { as: 'putImage', upload: await imageArchive() });
  await recorder.ask('GET /images', { as: 'listImages' });
  await recorder.ask('DELETE /images/tools:1', { as: 'removeImage' });
  // Requests that are refused:
  await recorder.ask('PUT /images/tools:1', { upload: 'no archive' });
  await recorder.ask('DELETE /images/tools:1');
}
