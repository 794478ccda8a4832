/** Has the lab CLI check a topology after a pause in typing. */
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useService } from '../../../api/queries.ts';
import { client } from '../../../api/service.ts';
import { cliFor } from '../../../parts/drawing/cli-for.ts';
import { formatOf } from '../../../parts/drawing/read-topology.ts';
import type { CheckedText } from './yaml-help.ts';

/** The lab CLI runs for each check. */
const pauseMs = 1_200;

interface Edited {
  readonly workspace: string;
  readonly path: string;
  readonly text: string;
  /** A text in which this page has found errors is not checked: the lab CLI would report the same. */
  readonly isWanted: boolean;
}

/** Undefined before the first check, and when there is none: the check of this page remains. */
export function useCliCheck({ workspace, path, text, isWanted }: Edited): CheckedText | undefined {
  const [settled] = useDebouncedValue(text, pauseMs);
  const cli = cliFor(formatOf(path, settled), useService().data?.labClis ?? []);
  const { data } = useQuery({
    queryKey: ['check', workspace, path, settled],
    queryFn: async ({ signal }) =>
      client.workspaces.check({ topology: settled, path, workspace }, { cli, signal }),
    enabled: isWanted && cli !== undefined && settled === text,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  return useMemo(
    () =>
      data && {
        text: settled,
        problems: data.problems.map(({ line, column, message, severity }) => ({
          line: line ?? 1,
          column: column ?? 1,
          message: `${data.cli}: ${message}`,
          severity,
        })),
      },
    [data, settled],
  );
}
