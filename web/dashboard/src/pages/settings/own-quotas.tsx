import { Progress, Stack, Text } from '@mantine/core';
import type { Quota } from '../../../../../src/client/api-types.ts';
import { useQuotas, useSession } from '../../api/queries.ts';
import { durationText } from '../../parts/duration-text.ts';
import { Part } from '../../parts/part.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { sizeText } from '../../parts/size-text.ts';

const names: Readonly<Record<Quota['resource'], string>> = {
  labs: 'Labs',
  nodes: 'Nodes',
  jobs: 'Jobs that wait or run',
  workspaceBytes: 'Workspaces',
};

function holderOf({ kind, name }: Quota): string {
  if (kind === 'server') return 'all users together';
  return kind === 'group' ? `the group ${name} together` : '';
}

function Bar({ quota }: { readonly quota: Quota }) {
  const { resource, used, limit } = quota;
  const text = (count: number): string => (resource === 'workspaceBytes' ? sizeText(count) : String(count));
  const holder = holderOf(quota);
  const isFull = limit !== null && used >= limit;
  return (
    <Stack gap={4} role="listitem">
      <Text size="sm" className="numbers">
        {names[resource] ?? resource}
        {holder !== '' && `, ${holder}`}: {limit === null ? text(used) : `${text(used)} of ${text(limit)}`}
      </Text>
      {limit !== null && (
        <Progress
          value={limit === 0 ? 100 : Math.min(100, (used / limit) * 100)}
          color={isFull ? 'red' : 'blue'}
          aria-hidden
        />
      )}
    </Stack>
  );
}

function Quotas({ user }: { readonly user: string }) {
  const { data, error, refetch } = useQuotas(user);
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const { quotas, maxLeaseSeconds } = data;
  return (
    <Part title="Quotas">
      <Stack gap="sm" role="list">
        {quotas.map((quota) => (
          <Bar key={`${quota.kind} ${quota.name} ${quota.resource}`} quota={quota} />
        ))}
      </Stack>
      {maxLeaseSeconds !== null && (
        <Text size="sm">A lab may run for {durationText(maxLeaseSeconds * 1_000)}.</Text>
      )}
    </Part>
  );
}

/** How much the user has, and may have; nothing on servers without users. */
export function OwnQuotas() {
  const user = useSession().data?.user ?? null;
  return user === null ? null : <Quotas user={user} />;
}
