import { Code } from '@mantine/core';
import { Fragment } from 'react';

/** A sentence of the service: what stands between backticks is code. */
export function Prose({ text }: { readonly text: string }) {
  return text
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? (
        <Code key={`${index} ${part}`}>{part}</Code>
      ) : (
        <Fragment key={`${index} ${part}`}>{part}</Fragment>
      ),
    );
}
