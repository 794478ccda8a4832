import * as z from 'zod';
import { imageNamePattern, maxImageNameLength } from '../../lib/text/image-name.ts';
import { withUpload } from '../request/upload.ts';
import { defineRoute, hostQuery, jsonReply, noParams } from '../route.ts';
import { uploadErrors } from './workspaces.ts';

const imageSchema = z
  .object({
    name: z.string().describe('Its name in topologies, with its tag.'),
    id: z.string().describe('The SHA-256 of its configuration, as Docker shows it.'),
    size: z
      .int()
      .describe(
        'How much of `LAB_API_MAX_ALL_IMAGES_SIZE` it takes: the files of its layers, and 4 KiB for each entry, in bytes.',
      ),
    addedAt: z.iso.datetime().describe('When it was added (RFC 3339, UTC).'),
    isRouter: z.boolean().describe('Whether it has the routing daemons of FRR.'),
  })
  .meta({ id: 'Image', description: 'A root file system for nodes in namespaces.' });

const imagesSchema = z
  .object({ images: z.array(imageSchema).describe('Sorted by name.') })
  .meta({ id: 'ImageList', description: 'The images of this server.' });

const imageParams = z.object({
  name: z
    .string()
    .max(maxImageNameLength)
    .regex(imageNamePattern, 'must be like frr:10, or registry.example/team/frr:10')
    .describe(
      'The name, percent-encoded: `quay.io%2Ffrrouting%2Ffrr:10.7.1`. Without a tag, it is `latest`.',
    ),
});

export const listImages = defineRoute({
  method: 'get',
  path: '/images',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'listImages',
  summary: 'The images for nodes in namespaces',
  description:
    'Only those that were added. Without them, nodes of the devices `frr` and `linux` run on the file system of the machine.',
  // It starts a program.
  isForOwnSite: () => true,
  params: noParams,
  query: hostQuery,
  replies: { 200: jsonReply('The images.', imagesSchema) },
  errors: ['storage-fault', 'not-supported'],
  handler: async ({ context: { images, shutdown } }) => ({
    kind: 'json',
    status: 200,
    value: { images: await images.list(shutdown) },
  }),
});

export const putImage = defineRoute({
  method: 'put',
  path: '/images/:name',
  permission: 'administer',
  about: 'thisHost',
  tag: 'service',
  operationId: 'putImage',
  summary: 'Adds an image from an archive',
  description:
    'The body is a tar file, which may be compressed with gzip: from `docker save`, or with an OCI layout. The image takes the place of an image of that name; labs that run keep the files of the earlier one. A request that fails changes nothing.',
  params: imageParams,
  query: hostQuery,
  upload: {
    description: 'The archive. It is recognized by its content.',
    mediaTypes: ['application/octet-stream'],
  },
  replies: { 200: jsonReply('The image.', imageSchema) },
  errors: ['archive-refused', 'conflict', 'queue-full', 'not-supported', ...uploadErrors],
  handler: async ({ params: { name }, req, res, context: { images, shutdown } }) => ({
    kind: 'json',
    status: 200,
    value: await withUpload({ req, res, until: shutdown }, async (input) =>
      images.add(name, { input, signal: shutdown }),
    ),
  }),
});

export const removeImage = defineRoute({
  method: 'delete',
  path: '/images/:name',
  permission: 'administer',
  about: 'thisHost',
  tag: 'service',
  operationId: 'removeImage',
  summary: 'Removes an image',
  description: 'Labs that run keep its files until their nodes end.',
  params: imageParams,
  query: hostQuery,
  replies: { 204: { description: 'It is gone.', content: {} } },
  errors: ['image-not-found', 'conflict', 'storage-fault', 'not-supported'],
  handler: async ({ params: { name }, context: { images, shutdown } }) => {
    await images.remove(name, shutdown);
    return { kind: 'empty' };
  },
});
