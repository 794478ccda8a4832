#!/usr/bin/env node
// Writes the description of the API, docs/openapi.json, as the built program makes it for a service with a password.
//   npm run openapi                        builds, and writes it
//   npm run openapi -- --record            first asks a service with the bundled engine for the examples in it: it takes a
//                                          lab through its life, as root or where user namespaces are allowed
//   npm run openapi -- --release           afterwards makes it the one that later versions are compared with
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { recordExamples } from './openapi/record.mjs';
import { built } from './lib/built.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';

const options = readOptions({
  record: { type: 'boolean', default: false },
  release: { type: 'boolean', default: false },
});
const examplesFile = path.join(root, 'src/http/openapi/examples.json');
const documentFile = path.join(root, 'docs/openapi.json');

/** @param {string} file @param {unknown} value */
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
/** @param {string} file @returns {any} */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

if (options.record) writeJson(examplesFile, await recordExamples());

const { apiDocument } = await built('http/openapi/api-document.js');
const { routes } = await built('http/routers/routes.js');
const { version } = readJson(path.join(root, 'package.json'));
const served = { version, basePath: '', hasAuth: true, publicHealthz: false, publicReadyz: false };
writeJson(documentFile, apiDocument(routes, served, readJson(examplesFile)));
await import('./client-types.mjs');
if (options.release) copyFileSync(documentFile, path.join(root, 'docs/openapi-released.json'));
