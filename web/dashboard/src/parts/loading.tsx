import { Center, Loader } from '@mantine/core';

/** A placeholder while a part of the page is loaded. */
export function Loading({ h = '50vh' }: { h?: string | number }) {
  return (
    <Center h={h}>
      <Loader aria-label="Loading" />
    </Center>
  );
}
