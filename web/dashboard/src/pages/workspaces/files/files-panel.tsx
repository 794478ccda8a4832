import { FileButton, Group, Menu, Text } from '@mantine/core';
import { IconDownload, IconFilePlus, IconPencil, IconTrash, IconUpload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { WorkspaceFile } from '../../../../../../src/client/api-types.ts';
import { useMayOperate } from '../../../api/queries.ts';
import { addressOf } from '../../../api/service.ts';
import { useStore } from '../../../api/store.ts';
import { MoreMenu, MenuEntry } from '../../../parts/menu.tsx';
import { Tool } from '../../../parts/tool.tsx';
import { draftKey, drafts, draftsIn, setDraft } from '../editor/drafts.ts';
import { filePath } from '../paths.ts';
import { DropArea } from '../upload/drop-area.tsx';
import { addUploads } from '../upload/uploads.ts';
import { NewFile, RemoveFile, RenameFile } from './file-dialogs.tsx';
import { FileTree } from './file-tree.tsx';
import { nameOf, parentOf, parentsOf, treeRows } from './tree.ts';
import classes from './files.module.css';

interface Props {
  readonly workspace: string;
  readonly files: readonly WorkspaceFile[];
  readonly isCut: boolean;
  readonly selected: string | undefined;
  readonly onSelect: (path: string | undefined) => void;
}

type Dialog = { readonly kind: 'new' | 'rename' | 'remove'; readonly path: string };

/** The open directories: those that the user opened, and those around the open file. */
function useFolds(selected: string | undefined) {
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const around = new Set(parentsOf(selected ?? ''));
  const isOpen = (path: string): boolean => folds.get(path) ?? around.has(path);
  const fold = (path: string, isUnfolded: boolean): void => setFolds(new Map(folds).set(path, isUnfolded));
  return { isOpen, fold };
}

/** The content of the directory, deepest first: the order of removal. */
const insideOf = (files: readonly WorkspaceFile[], path: string): string[] =>
  files
    .map((file) => file.path)
    .filter((one) => one.startsWith(`${path}/`))
    .toReversed();

function ItemMenu({
  entry,
  workspace,
  onDialog,
}: {
  readonly entry: WorkspaceFile;
  readonly workspace: string;
  readonly onDialog: (dialog: Dialog) => void;
}) {
  const mayOperate = useMayOperate();
  const { path, kind } = entry;
  if (kind !== 'file' && !mayOperate) return null;
  return (
    <MoreMenu label={`Actions of ${path}`}>
      <Menu.Label>{nameOf(path)}</Menu.Label>
      {kind === 'file' && (
        <MenuEntry Icon={IconDownload} href={addressOf(filePath(workspace, path))} download={nameOf(path)}>
          Download
        </MenuEntry>
      )}
      {mayOperate && kind === 'file' && (
        <MenuEntry Icon={IconPencil} onClick={() => onDialog({ kind: 'rename', path })}>
          Rename…
        </MenuEntry>
      )}
      {mayOperate && (
        <MenuEntry Icon={IconTrash} isDangerous onClick={() => onDialog({ kind: 'remove', path })}>
          Remove…
        </MenuEntry>
      )}
    </MoreMenu>
  );
}

function NewAndUpload({
  directory,
  onNew,
  onFiles,
}: {
  readonly directory: string;
  readonly onNew: () => void;
  readonly onFiles: (files: readonly File[]) => void;
}) {
  const where = directory === '' ? 'the workspace' : directory;
  return (
    <>
      <Tool label="New file" tip={`New file in ${where}`} Icon={IconFilePlus} iconSize={18} onClick={onNew} />
      <FileButton multiple onChange={(chosen) => onFiles(chosen)}>
        {(props) => (
          <Tool
            {...props}
            label="Upload files"
            tip={`Upload files to ${where}`}
            Icon={IconUpload}
            iconSize={18}
          />
        )}
      </FileButton>
    </>
  );
}

function Dialogs({ dialog, props, onClose }: { dialog: Dialog; props: Props; onClose: () => void }) {
  const { workspace, files, selected, onSelect } = props;
  const { kind, path } = dialog;
  const done = (next: string | undefined): void => {
    onClose();
    onSelect(next);
  };
  if (kind === 'new') return <NewFile workspace={workspace} path={path} onClose={onClose} onDone={done} />;
  if (kind === 'rename')
    return <RenameFile workspace={workspace} path={path} onClose={onClose} onDone={done} />;
  const isOpen = selected === path || selected?.startsWith(`${path}/`) === true;
  return (
    <RemoveFile
      workspace={workspace}
      path={path}
      inside={insideOf(files, path)}
      onClose={onClose}
      onDone={() => {
        for (const one of draftsIn(drafts.get(), workspace))
          if (one === path || one.startsWith(`${path}/`)) setDraft(draftKey(workspace, one), undefined);
        if (isOpen) done(undefined);
        else onClose();
      }}
    />
  );
}

/** The tree of files with its actions. */
export function FilesPanel(props: Props) {
  const { workspace, files, isCut, selected, onSelect } = props;
  const mayOperate = useMayOperate();
  const allDrafts = useStore(drafts);
  const [dialog, setDialog] = useState<Dialog>();
  const [chosen, setChosen] = useState<string>();
  const active = chosen ?? selected;
  const { isOpen, fold } = useFolds(selected);
  const rows = treeRows(files, isOpen);
  const entry = files.find(({ path }) => path === active);
  const directory = entry?.kind === 'directory' ? entry.path : parentOf(entry?.path ?? '');
  const unsaved = useMemo(() => new Set(draftsIn(allDrafts, workspace)), [allDrafts, workspace]);
  const upload = (added: readonly File[]): void => {
    const known = new Set(files.map(({ path }) => path));
    addUploads(
      added.map((file) => {
        const path = directory === '' ? file.name : `${directory}/${file.name}`;
        return { workspace, path, file, type: undefined, isThere: known.has(path) };
      }),
    );
  };
  return (
    <DropArea
      label={`Drop files to upload them to ${directory === '' ? workspace : directory}`}
      onFiles={mayOperate ? upload : undefined}
    >
      <div className={classes['panel']}>
        <Group gap={2} px="xs" py={4} wrap="nowrap" className={classes['bar']}>
          <Text component="h2" size="sm" fw={600} mr="auto">
            Files
          </Text>
          {mayOperate && (
            <NewAndUpload
              directory={directory}
              onFiles={upload}
              onNew={() => setDialog({ kind: 'new', path: directory === '' ? '' : `${directory}/` })}
            />
          )}
          {entry && <ItemMenu entry={entry} workspace={workspace} onDialog={setDialog} />}
        </Group>
        {files.length === 0 ? (
          <Text size="sm" c="dimmed" p="sm">
            No files yet. {mayOperate && 'Create a file, or drop files here.'}
          </Text>
        ) : (
          <FileTree
            rows={rows}
            selected={selected}
            active={active}
            unsaved={unsaved}
            onActive={setChosen}
            onFold={fold}
            onChoose={({ path }) => onSelect(path)}
            onKey={({ path, kind }, key) => {
              if (!mayOperate || (key === 'F2' && kind !== 'file')) return;
              setDialog({ kind: key === 'F2' ? 'rename' : 'remove', path });
            }}
          />
        )}
        {isCut && (
          <Text size="xs" c="dimmed" px="sm" py={4}>
            Only the first 10,000 files are shown; an archive contains all of them.
          </Text>
        )}
      </div>
      {dialog && <Dialogs dialog={dialog} props={props} onClose={() => setDialog(undefined)} />}
    </DropArea>
  );
}
