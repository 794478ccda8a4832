/** The content of a file for the editor, or the reason why it cannot be edited. */
import { useQuery } from '@tanstack/react-query';
import { client, tagOf } from '../../../api/service.ts';

export type OpenedFile =
  | { readonly kind: 'text'; readonly text: string; readonly etag: string }
  | { readonly kind: 'binary' | 'large'; readonly sizeBytes: number };

/** Longer files should be edited with a local program. */
export const longestText = 1024 * 1024;

export const fileKey = (workspace: string, path: string): readonly string[] => [
  'workspace',
  workspace,
  'file',
  path,
];

/** The bytes as text; undefined for binary data. A byte order mark stays, so that it is saved too. */
function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

async function open(workspace: string, path: string): Promise<OpenedFile> {
  const reply = await client.workspaces.readFile(workspace, path);
  const announced = Number(reply.headers.get('Content-Length'));
  if (announced > longestText) {
    await reply.body?.cancel();
    return { kind: 'large', sizeBytes: announced };
  }
  const bytes = await reply.arrayBuffer();
  if (bytes.byteLength > longestText) return { kind: 'large', sizeBytes: bytes.byteLength };
  const text = textOf(bytes);
  if (text === undefined) return { kind: 'binary', sizeBytes: bytes.byteLength };
  return { kind: 'text', text, etag: tagOf(reply) ?? '' };
}

export const useFile = (workspace: string, path: string) =>
  useQuery({
    queryKey: fileKey(workspace, path),
    queryFn: async () => open(workspace, path),
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  });
