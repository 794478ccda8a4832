#!/usr/bin/env node
// The pictures of the page for people that README.md and docs/dashboard.md show, light and dark, at twice the size:
//   npm run build && node scripts/page-pictures.mjs             writes docs/pictures/<page>-<light|dark>.webp
//   node scripts/page-pictures.mjs --only lab                   one page alone
//   node scripts/page-pictures.mjs --into /tmp/pictures         somewhere else
// Starts a service with labs on the bundled engine (as root, or where user namespaces are allowed), and Chromium. Pictures
// show the real page. Exit code 1 when an expected part of a picture does not appear.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { done, failed, interrupted, messageOf, must } from './lib/words.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { Camera } from './page-pictures/camera.mjs';
import { Stage } from './page-pictures/stage.mjs';

const { only, into } = readOptions({
  only: { type: 'string' },
  into: { type: 'string', default: path.join(root, 'docs', 'pictures') },
});
/** A page with pictures is read on telephones too. */
const maxBytes = 150_000;

/**
 * A page, and what a person does there before the picture is taken.
 * @typedef {(page: import('playwright-core').Page, stage: Stage) => Promise<void>} Scene
 * @type {Readonly<Record<string, Scene>>}
 */
const scenes = {
  labs: async (page, stage) => {
    await page.goto(`${stage.url}/ui/`);
    await page.setViewportSize({ width: 1280, height: 480 });
    for (const name of ['spine-leaf', 'triangle', 'two-hosts'])
      await page.getByText(name, { exact: true }).first().waitFor();
  },
  lab: async (page, stage) => {
    await page.goto(`${stage.url}/ui/labs/${stage.labs.spineLeaf}?node=h1&tab=terminal`);
    const terminal = page.getByRole('textbox', { name: /terminal/i });
    await terminal.waitFor();
    await terminal.focus();
    await page.keyboard.type('ping -c 3 h6\n');
    await page.getByText('0% packet loss').first().waitFor();
  },
  job: async (page, stage) => {
    await page.setViewportSize({ width: 1280, height: 480 });
    await page.goto(`${stage.url}/ui/jobs/${stage.jobs.up}`);
    await page.getByText('Configuring 11 nodes').first().waitFor();
  },
  workspace: async (page, stage) => {
    await page.goto(`${stage.url}/ui/workspaces/spine-leaf`);
    await page.getByText('topology.yml').first().click();
    await page.getByText('Two spines, three leaves').first().waitFor();
  },
};

/** @param {Camera} camera @param {Stage} stage @param {string} name @param {'light' | 'dark'} scheme */
async function take(camera, stage, name, scheme) {
  const page = await camera.open(scheme, stage);
  try {
    await scenes[name]?.(page, stage);
  } catch (error) {
    process.exitCode = 1;
    failed(`${name}, ${scheme}: not as it should be: ${messageOf(error).split('\n')[0]}`);
  }
  const file = path.join(into, `${name}-${scheme}.webp`);
  writeFileSync(file, await camera.picture(page, maxBytes));
  done(`${file}: ${Math.round(statSync(file).size / 1000)} kB`);
  await page.context().close();
}

/** @param {Stage} stage @param {Camera} camera */
async function takeAll(stage, camera) {
  must(only === undefined || only in scenes, `--only: one of ${Object.keys(scenes).join(', ')}`);
  await stage.build();
  mkdirSync(into, { recursive: true });
  for (const name of Object.keys(scenes).filter((scene) => only === undefined || scene === only))
    for (const scheme of /** @type {const} */ (['light', 'dark'])) await take(camera, stage, name, scheme);
}

const stage = new Stage();
const camera = new Camera();
try {
  await Promise.race([takeAll(stage, camera), interrupted()]);
} catch (error) {
  process.exitCode = 1;
  failed(error);
} finally {
  await camera.end();
  await stage.end();
}
process.exit();
