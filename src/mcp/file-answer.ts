import type { Reply } from './ask.ts';
import type { Told } from './tool.ts';

/** A text file with its etag; bytes would be of no use to an assistant. */
export function fileAnswer({ text, etag }: Reply): Told {
  if (/[\0\uFFFD]/.test(text))
    return { hint: 'The file is not text: download it with the command lab or with curl.' };
  const hint = etag === null ? undefined : `The etag is ${etag.replaceAll('"', '')}.`;
  return text === '' ? { hint: `The file is empty. ${hint ?? ''}`.trim() } : { hint, data: text };
}
