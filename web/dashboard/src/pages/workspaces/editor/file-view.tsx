import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Suspense } from 'react';
import { late } from '../../../parts/late.ts';
import type { WorkspaceFile } from '../../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../../src/client/service-error.ts';
import { addressOf } from '../../../api/service.ts';
import { useStore } from '../../../api/store.ts';
import { sizeText } from '../../../parts/size-text.ts';
import { Empty } from '../../../parts/empty.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { filePath } from '../paths.ts';
import { draftKey, drafts } from './drafts.ts';
import { longestText, useFile } from './file-query.ts';
import { Loading } from '../../../parts/loading.tsx';

// The editor is larger than the rest of the page.
const FileEditor = late(async () => ({ default: (await import('./file-editor.tsx')).FileEditor }));

interface Props {
  readonly workspace: string;
  readonly path: string;
  readonly kind: WorkspaceFile['kind'] | undefined;
}

const wait = <Loading h="100%" />;

const whyNot = {
  binary: 'This is not a text file.',
  large: `The file is larger than ${sizeText(longestText)}, the limit of the editor.`,
} as const;

/** A file of a workspace: in the editor, or as a download when it is not text. */
export function FileView({ workspace, path, kind }: Props) {
  const { data, error, refetch } = useFile(workspace, path);
  const draft = useStore(drafts).get(draftKey(workspace, path));
  const isGone = error instanceof ServiceError && error.status === 404;
  if (kind === 'directory') return <Empty title={`${path} is a directory`} />;
  if (isGone && draft === undefined)
    return <Empty title={`File ${path} not found`}>It may have been removed or renamed.</Empty>;
  if (data === undefined && error && !isGone)
    return <ProblemNotice error={error} title={`${path} cannot be opened`} onRetry={() => void refetch()} />;
  if (data === undefined && !isGone) return wait;
  if (data !== undefined && data.kind !== 'text')
    return (
      <Empty title={path}>
        {whyNot[data.kind]}
        <br />
        <Button
          component="a"
          mt="md"
          variant="default"
          href={addressOf(filePath(workspace, path))}
          download
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Download ({sizeText(data.sizeBytes)})
        </Button>
      </Empty>
    );
  return (
    <Suspense fallback={wait}>
      <FileEditor workspace={workspace} path={path} saved={isGone ? undefined : data} />
    </Suspense>
  );
}
