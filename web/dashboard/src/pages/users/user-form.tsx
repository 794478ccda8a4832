import { Checkbox, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewUser, User } from '../../../../../src/client/api-types.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { sendTo } from '../../api/service.ts';
import { passwordProblem } from '../../parts/account/password-problem.ts';
import { Question } from '../../parts/question.tsx';
import { useChange, type UserDialogProps } from './use-change.ts';

const roles = [
  { value: 'viewer', label: 'viewer: reads' },
  { value: 'operator', label: 'operator: also starts, changes and stops labs' },
  { value: 'admin', label: 'admin: does everything' },
] as const;

type Role = User['role'];

interface Rights {
  readonly role: Role;
  readonly isLimited: boolean;
  /** One directory in a line. */
  readonly directories: string;
}

/** Administrators have no limits. */
const workdirsOf = ({ role, isLimited, directories }: Rights): string[] | null =>
  isLimited && role !== 'admin'
    ? directories
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
    : null;

/** The fields about what a user may do. */
function RightsFields({ rights, onChange }: { rights: Rights; onChange: (rights: Rights) => void }) {
  const { role, isLimited, directories } = rights;
  return (
    <>
      <Select
        label="Role"
        data={roles}
        value={role}
        allowDeselect={false}
        onChange={(value) => onChange({ ...rights, role: value ?? 'viewer' })}
      />
      {role !== 'admin' && (
        <Checkbox
          label="Limit the user to directories"
          description="Besides own workspaces, the user then sees only what is in them."
          checked={isLimited}
          onChange={(event) => onChange({ ...rights, isLimited: event.currentTarget.checked })}
        />
      )}
      {role !== 'admin' && isLimited && (
        <Textarea
          label="Directories"
          description="One absolute path in each line; none: only own workspaces"
          autosize
          minRows={2}
          spellCheck={false}
          value={directories}
          onChange={(event) => onChange({ ...rights, directories: event.currentTarget.value })}
        />
      )}
    </>
  );
}

export function AddUser({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [rights, setRights] = useState<Rights>({ role: 'viewer', isLimited: false, directories: '' });
  const add = useMutation({
    mutationFn: async (user: NewUser) => sendTo<User>('POST', '/users', { body: user }),
    onSuccess: async () => {
      onClose();
      await fetchAgain(['users']);
    },
  });
  const problem = password === '' ? undefined : passwordProblem(password);
  const submit = (): void =>
    add.mutate({
      name,
      role: rights.role,
      workdirs: workdirsOf(rights),
      ...(password !== '' && { password }),
    });
  return (
    <Question
      title="Add a user"
      yes="Add"
      isForm
      isBusy={add.isPending}
      isDisabled={name === '' || problem !== undefined}
      error={add.error}
      onClose={onClose}
      onYes={submit}
    >
      <TextInput
        label="Name"
        description="Letters, digits and . _ @ + -; it cannot be changed later"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password (optional)"
        description="Without one, the user has tokens only, or logs in through a proxy"
        autoComplete="new-password"
        value={password}
        error={problem}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <RightsFields rights={rights} onChange={setRights} />
    </Question>
  );
}

export function EditUser({ user, onClose }: UserDialogProps) {
  const [rights, setRights] = useState<Rights>({
    role: user.role,
    isLimited: user.workdirs !== null,
    directories: (user.workdirs ?? []).join('\n'),
  });
  const change = useChange({ user, onClose });
  return (
    <Question
      title={`Role and directories of ${user.name}`}
      yes="Save"
      isForm
      isBusy={change.isPending}
      error={change.error}
      onClose={onClose}
      onYes={() => change.mutate({ role: rights.role, workdirs: workdirsOf(rights) })}
    >
      <RightsFields rights={rights} onChange={setRights} />
    </Question>
  );
}
