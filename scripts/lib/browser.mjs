/** Chromium, as scripts use it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { must } from './words.mjs';

/** Their programs. The first has no windows of its own, which is less to start and to draw. */
export const browserPrograms = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Without a way to the internet, a browser that asks its maker for news waits for an answer. */
const flags = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];

function findBrowser() {
  const directories = (process.env['PATH'] ?? '').split(path.delimiter);
  const files = browserPrograms.flatMap((name) => directories.map((directory) => path.join(directory, name)));
  const file = files.find((each) => existsSync(each));
  must(file, `not on PATH: ${browserPrograms.join(', ')}`);
  return file;
}

/**
 * Starts the Chromium that is on PATH. The caller closes it.
 * @param {readonly string[]} [more] flags of its command line
 * @throws Error when there is none
 */
export async function launchBrowser(more = []) {
  return chromium.launch({
    executablePath: findBrowser(),
    // It does not start in its sandbox as root.
    args: [...flags, ...more, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}
