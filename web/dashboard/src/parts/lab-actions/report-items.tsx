import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { addressOf, client, labPath } from '../../api/service.ts';

/** The reports of a lab that are pages. Each opens in a new tab. The list is read when the menu opens. */
export function ReportItems({ lab }: { readonly lab: Lab }) {
  const { data, error } = useQuery({
    queryKey: ['lab', lab.id, 'reports'],
    queryFn: async () => client.reports(lab.id),
    retry: false,
  });
  if (error) return <Menu.Label>The reports cannot be listed: {error.message}</Menu.Label>;
  if (data === undefined) return <Menu.Label>Loading…</Menu.Label>;
  return data
    .filter(({ format }) => format === 'html')
    .map(({ name, description }) => (
      <Menu.Item
        key={name}
        component="a"
        href={addressOf(labPath(lab.id, 'reports', name))}
        target="_blank"
        rel="noopener"
      >
        {description ?? name}
      </Menu.Item>
    ));
}
