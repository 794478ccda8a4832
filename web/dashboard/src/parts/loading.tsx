import { Center, Loader } from '@mantine/core';

/** Stands in place of a part of the page that is not loaded yet. `h` is its height. */
export function Loading({ h = '50vh' }: { h?: string | number }) {
  return (
    <Center h={h}>
      <Loader aria-label="Loading" />
    </Center>
  );
}
