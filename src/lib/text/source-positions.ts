import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

const maps = new Map<string, SourceMap | undefined>();

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    // Source maps of other packages are not read.
    return undefined;
  }
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

/** A site says by itself what it is; only its type does not tell so. */
const textOf = (site: { readonly toString: () => string }): string => site.toString();

/** A line of a stack trace, with the position in the file that was compiled where there is a map of it. */
function frameText(site: NodeJS.CallSite): string {
  const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  const text = textOf(site);
  if (!file?.startsWith('file:') || line === null || column === null) return text;
  const origin = mapOf(file)?.findOrigin(line, column);
  // Of packages, maps know the name alone.
  if (origin === undefined || !('fileName' in origin) || /node_modules/.test(origin.fileName)) return text;
  const source = new URL(origin.fileName, file).href;
  return text.replace(
    `${file}:${line}:${column}`,
    () => `${source}:${origin.lineNumber}:${origin.columnNumber}`,
  );
}

/**
 * From now on, stack traces name lines of the sources. A map is read when a trace that needs it is formatted: Node's own
 * --enable-source-maps reads the map of every file that is loaded, which is a tenth of the start of the service.
 */
export function showSourcePositions(): void {
  Error.prepareStackTrace = (error, sites) =>
    [Error.prototype.toString.call(error), ...sites.map(frameText)].join('\n    at ');
}
