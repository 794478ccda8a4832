/** How a page becomes a small picture, in Chromium. */
import { launchBrowser } from '../lib/browser.mjs';
import { must } from '../lib/words.mjs';

/** How long a page may take to show something. */
const patienceMs = 15_000;

/** Runs in the page, and ends when it has come to rest: nothing loads, nothing moves. */
const comeToRest = `(async () => {
  await document.fonts.ready;
  const isMoving = () => document.getAnimations().some(({ playState }) => playState === 'running');
  const isLoading = () => document.querySelector('[aria-label="Loading"], [aria-busy="true"]') !== null;
  const until = performance.now() + 5000;
  const frame = async () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (let calm = 0; calm < 10 && performance.now() < until; await frame())
    calm = isMoving() || isLoading() ? 0 : calm + 1;
})()`;

/** Runs in an empty page: the picture as WebP, in base64. @param {Buffer} png @param {number} quality from 0 to 1 */
const packed = (png, quality) => `(async () => {
  const picture = new Image();
  picture.src = 'data:image/png;base64,${png.toString('base64')}';
  await picture.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [picture.width, picture.height];
  canvas.getContext('2d').drawImage(picture, 0, 0);
  return canvas.toDataURL('image/webp', ${quality}).split(',')[1];
})()`;

export class Camera {
  /** @type {Promise<import('playwright-core').Browser> | undefined} */
  #browser;

  async #launched() {
    this.#browser ??= launchBrowser(['--hide-scrollbars']);
    return this.#browser;
  }

  /**
   * Opens a page with a login.
   * @param {'light' | 'dark'} scheme
   * @param {{ url: string, login: { user: string, password: string } }} service
   */
  async open(scheme, { url, login }) {
    const browser = await this.#launched();
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 2,
      colorScheme: scheme,
      reducedMotion: 'reduce',
      locale: 'en-US',
      timezoneId: 'UTC',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    const reply = await context.request.post(`${url}/session`, { data: login });
    must(reply.ok(), `the login is refused: ${reply.status()}`);
    return page;
  }

  /**
   * The page as WebP, as good as it fits. The browser itself packs it: no other program is needed.
   * @param {import('playwright-core').Page} page
   * @param {number} maxBytes
   */
  async picture(page, maxBytes) {
    await page.evaluate(comeToRest);
    const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const desk = await (await this.#launched()).newPage();
    try {
      for (const quality of [0.92, 0.85, 0.75, 0.6, 0.4]) {
        const bytes = Buffer.from(await desk.evaluate(packed(png, quality)), 'base64');
        if (bytes.length <= maxBytes) return bytes;
      }
    } finally {
      await desk.close();
    }
    throw new Error(`the picture does not fit into ${maxBytes} bytes`);
  }

  async end() {
    await (await this.#browser)?.close();
  }
}
