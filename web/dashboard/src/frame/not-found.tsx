import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../parts/empty.tsx';

export function NotFound() {
  return (
    <Empty isPage title="There is no such page">
      <Anchor component={Link} href="/">
        To the labs
      </Anchor>
    </Empty>
  );
}
