/** The page for people (`/ui`): the files that the build has made of web/dashboard. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../lib/app-error.ts';
import { escapeXml } from '../lib/text/escape-xml.ts';
import { packageFile } from '../lib/files/package-root.ts';
import { strongETag } from './reply/etag.ts';

const unpack = promisify(gunzip);

/** Where the build puts the page. */
const builtPage = packageFile('dist', 'dashboard');

/**
 * The page may load its own files and call the API of this server. xterm.js, React Flow and Mantine create styles at run time,
 * so inline styles are allowed; scripts come only from files of the page.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Each file of the page has a hash of what is in it in its name. */
const foreverMs = 365 * 24 * 3600 * 1000;

/** The content type of `res` is set beforehand. */
function sendText(res: Response, text: string): void {
  // Asked for each time: what it names changes with the next build.
  res.set({ 'Cache-Control': 'no-cache', ETag: strongETag(text) }).send(text);
}

/** A file that each build makes anew under the same name. */
async function readBuilt(directory: string, name: string): Promise<string> {
  return readFile(path.join(directory, name), 'utf8').catch((error: unknown) => {
    throw new AppError('not-found', 'this server has no page: "npm run build" makes it', { cause: error });
  });
}

interface Site {
  readonly basePath: string;
  /** The name of the identity provider; undefined without one. */
  readonly signOn?: string | undefined;
  /** Whether it is the only way to log in. */
  readonly isSignOnAlone?: boolean;
}

/** The page finds its files, and the API, below the base path of this server, which is known only now. */
async function sendPage(res: Response, directory: string, site: Site): Promise<void> {
  const html = await readBuilt(directory, 'index.html');
  res.set({ 'Content-Security-Policy': policy, 'X-Frame-Options': 'DENY' }).type('html');
  sendText(
    res,
    html
      .replaceAll('{{base}}', () => site.basePath)
      .replace('{{signOn}}', () => escapeXml(site.signOn ?? ''))
      .replace('{{signOnAlone}}', String(site.isSignOnAlone ?? false)),
  );
}

/** Which build this is: pages that are open compare it with their own. */
async function sendBuild(res: Response, directory: string): Promise<void> {
  const text = await readBuilt(directory, 'build.json');
  sendText(res.type('json'), text);
}

const missing = (): AppError =>
  new AppError('not-found', 'no file of the page that this server has; load the page again');

const isFile = async (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** For the few clients that do not accept gzip. */
async function sendUnpacked(res: Response, file: string): Promise<void> {
  const [text, { mtime }] = await Promise.all([readFile(file).then(unpack), stat(file)]);
  // Express answers 304 if the client has this version.
  res.set('Last-Modified', mtime.toUTCString());
  res.set('Cache-Control', `public, max-age=${foreverMs / 1000}, immutable`).send(text);
}

/** The build keeps small files plain, and compresses all others with gzip, which browsers accept over HTTP, too. */
async function sendAsset(req: Request<{ file: string }>, res: Response, directory: string): Promise<void> {
  const { file } = req.params;
  if (!/^[\w-][\w.-]*$/.test(file)) throw missing();
  const root = path.join(directory, 'assets');
  res.vary('Accept-Encoding').type(path.extname(file));
  const packed = path.join(root, `${file}.gz`);
  const isPacked = await isFile(packed);
  if (isPacked && req.acceptsEncodings('gzip') === false) return sendUnpacked(res, packed);
  if (isPacked) res.set('Content-Encoding', 'gzip');
  const options = { root, maxAge: foreverMs, immutable: true, acceptRanges: false };
  res.sendFile(isPacked ? `${file}.gz` : file, options, (error) => {
    if (error === undefined || res.headersSent) return;
    // The 404 must not be cached: the next build may have the file.
    for (const name of ['Content-Encoding', 'Content-Type', 'Cache-Control', 'Last-Modified'])
      res.removeHeader(name);
    req.next?.(missing());
  });
}

const onlyRead: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next();
  res.set('Allow', 'GET, HEAD');
  next(new AppError('method-not-allowed', `${req.method} is not possible here; use GET`));
};

/** Public, because its files reveal nothing about this server; users log in on the page. */
export function dashboard(site: Site, directory = builtPage): Router {
  // A file with a slash behind its name is none.
  const router = Router({ strict: true });
  router.use('/ui', onlyRead);
  router.get('/ui/build.json', async (_req, res) => sendBuild(res, directory));
  router.get('/ui/assets/:file', (req, res, next) => void sendAsset(req, res, directory).catch(next));
  router.use('/ui/assets', () => {
    throw missing();
  });
  router.use('/ui', async (_req, res) => sendPage(res, directory, site));
  // Programs ask for JSON, or for anything.
  router.get('/', (req, res, next) => {
    res.vary('Accept');
    if (req.accepts(['json', 'html']) === 'html') res.redirect(`${site.basePath}/ui/`);
    else next();
  });
  return router;
}
