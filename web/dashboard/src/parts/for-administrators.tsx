import type { ReactNode } from 'react';
import { useMayAdminister, useSession } from '../api/queries.ts';
import { Empty } from './empty.tsx';
import { Loading } from './loading.tsx';

interface Props {
  /** The page for administrators. */
  readonly children: ReactNode;
  /** Other users read this. */
  readonly title: string;
  readonly words: string;
}

/** A page that only administrators may read. */
export function ForAdministrators({ children, title, words }: Props) {
  const { isPending } = useSession();
  if (useMayAdminister()) return children;
  if (isPending) return <Loading />;
  return (
    <Empty isPage title={title}>
      {words}
    </Empty>
  );
}
