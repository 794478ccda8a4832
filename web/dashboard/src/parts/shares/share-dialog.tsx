import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconUser, IconUsersGroup, IconX } from '@tabler/icons-react';
import { useRef, useState, type ReactNode } from 'react';
import type { Share } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { useMayAdminister, useSession, useUsers } from '../../api/queries.ts';
import { Columns } from '../columns.tsx';
import { ProblemNotice } from '../problem-notice.tsx';
import { useChangeShares, without, withShare, type SharedThing } from './use-shares.ts';
import { Dialog } from '../dialog.tsx';

interface Props {
  readonly thing: SharedThing;
  readonly title: string;
  readonly shares: readonly Share[];
  /** The rights that a share of it gives. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

const rights: readonly Share['as'][] = ['viewer', 'operator'];

const asOf = (text: string): Share['as'] => (text === 'operator' ? 'operator' : 'viewer');

interface ListProps {
  readonly shares: readonly Share[];
  /** Whether there is a right to choose. */
  readonly hasRights: boolean;
  readonly isBusy: boolean;
  readonly onChange: (share: Share) => void;
  readonly onEnd: (share: Share) => void;
}

function ShareList({ shares, hasRights, isBusy, onChange, onEnd }: ListProps) {
  if (shares.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It is not shared.
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing={6} aria-label="Shared with">
        <Columns names={hasRights ? ['Shared with', 'As'] : ['Shared with']} hasActions />
        <Table.Tbody>
          {shares.map((share) => {
            const who = share.kind === 'group' ? `the group ${share.name}` : share.name;
            const Icon = share.kind === 'group' ? IconUsersGroup : IconUser;
            return (
              <Table.Tr key={who}>
                <Table.Td>
                  <Group gap={6} wrap="nowrap">
                    <Icon size={16} aria-hidden style={{ flexShrink: 0 }} />
                    <Text inherit style={{ overflowWrap: 'anywhere' }}>
                      {who}
                    </Text>
                  </Group>
                </Table.Td>
                {hasRights && (
                  <Table.Td>
                    <NativeSelect
                      size="xs"
                      aria-label={`Right of ${who}`}
                      value={share.as}
                      data={[...rights]}
                      miw={110}
                      disabled={isBusy}
                      onChange={({ currentTarget }) => onChange({ ...share, as: asOf(currentTarget.value) })}
                    />
                  </Table.Td>
                )}
                <Table.Td ta="right">
                  <Tooltip label="End the share">
                    <ActionIcon
                      aria-label={`End the share with ${who}`}
                      disabled={isBusy}
                      onClick={() => onEnd(share)}
                    >
                      <IconX size={16} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface NameProps {
  readonly kind: Share['kind'];
  readonly value: string;
  readonly error: string | undefined;
  /** The names to choose from; undefined where the user knows none. */
  readonly names: readonly string[] | undefined;
  readonly onChange: (name: string) => void;
}

function NameField({ kind, value, error, names, onChange }: NameProps) {
  const field = {
    label: kind === 'group' ? 'Group' : 'User',
    value,
    error,
    autoComplete: 'off',
    spellCheck: false,
    'data-autofocus': true,
  };
  // A list without names would take the first Escape.
  if (names === undefined)
    return <TextInput {...field} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
  return <Autocomplete {...field} data={[...names]} onChange={onChange} />;
}

/** Only administrators know all names; other users know their own groups. */
function AllNames(props: Omit<NameProps, 'names'>) {
  const { users = [], groups = [] } = useUsers().data ?? {};
  const names = (props.kind === 'group' ? groups : users).map(({ name }) => name);
  return <NameField {...props} names={names} />;
}

function Name(props: Omit<NameProps, 'names'>) {
  const mayAdminister = useMayAdminister();
  const groups = useSession().data?.groups ?? [];
  if (mayAdminister) return <AllNames {...props} />;
  return <NameField {...props} names={props.kind === 'group' ? groups : undefined} />;
}

/** The error of the service about a name; undefined for other errors. */
function aboutName(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  if (error.code === 'group-not-found') return 'there is no such group';
  return error.errors.find(({ field }) => field.endsWith('.name'))?.message;
}

/** Shows with whom a lab, a workspace or a snapshot is shared, and changes that at once. It is mounted only while it is open. */
export function ShareDialog({ thing, title, shares, children, onClose }: Props) {
  const change = useChangeShares(thing);
  // A share of a snapshot gives the same with either right.
  const hasRights = thing.kind !== 'snapshot';
  const [wanted, setWanted] = useState<Share>({ kind: 'user', name: '', as: 'viewer' });
  const form = useRef<HTMLFormElement>(null);
  const refused = aboutName(change.error);
  const name = wanted.name.trim();
  const edit = (more: Partial<Share>): void => {
    change.reset();
    setWanted({ ...wanted, ...more });
  };
  const focus = (): void => form.current?.querySelector('input')?.focus();
  const submit = (): void => {
    if (name === '') return focus();
    change.mutate((now) => withShare(now, { ...wanted, name }), {
      onSuccess: () => setWanted({ ...wanted, name: '' }),
      onSettled: focus,
    });
  };
  // The button that was pressed is gone with its row.
  const end = (share: Share): void => change.mutate((now) => without(now, share), { onSettled: focus });
  return (
    <Dialog opened onClose={onClose} title={title} size="lg">
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <ShareList
          shares={shares}
          hasRights={hasRights}
          isBusy={change.isPending}
          onChange={(share) => change.mutate((now) => withShare(now, share))}
          onEnd={end}
        />
        <form
          ref={form}
          aria-label="Share it with"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" verticalSpacing="sm">
              <NativeSelect
                label="With"
                value={wanted.kind}
                data={[
                  { value: 'user', label: 'a user' },
                  { value: 'group', label: 'a group' },
                ]}
                onChange={({ currentTarget }) =>
                  edit({ kind: currentTarget.value === 'group' ? 'group' : 'user', name: '' })
                }
              />
              <Name
                kind={wanted.kind}
                value={wanted.name}
                error={refused}
                onChange={(typed) => edit({ name: typed })}
              />
              {hasRights && (
                <NativeSelect
                  label="As"
                  value={wanted.as}
                  data={[...rights]}
                  onChange={({ currentTarget }) => edit({ as: asOf(currentTarget.value) })}
                />
              )}
            </SimpleGrid>
            <Text size="sm" c="dimmed">
              {hasRights && 'Viewers read it. Operators also change it, as far as their own role allows. '}
              Whether a user exists is not checked.
            </Text>
            {change.error && refused === undefined && (
              <ProblemNotice error={change.error} title="The shares are not changed" />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Close
              </Button>
              <Button type="submit" loading={change.isPending} disabled={name === ''}>
                Share
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Dialog>
  );
}
