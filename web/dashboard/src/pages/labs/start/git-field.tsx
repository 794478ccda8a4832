import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { GitText } from './git-source.ts';

interface Props {
  readonly git: GitText;
  readonly onChange: (git: GitText) => void;
  /** The errors by the fields of the request. */
  readonly errors: ReadonlyMap<string, string>;
  readonly isPending: boolean;
}

/** The repository, the commit and the directory whose files the server fetches. */
export function GitField({ git, onChange, errors, isPending }: Props) {
  const field = (name: keyof GitText, ...fields: readonly string[]) => ({
    value: git[name],
    error: fields
      .map((one) => errors.get(one)?.replace('"topologyPath"', '“Topology file”'))
      .find((message) => message !== undefined),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...git, [name]: currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
  });
  return (
    <Stack gap="sm">
      <TextInput
        label="URL of the repository"
        description="The https address that you clone from. The server fetches it, with its own login if it needs one."
        placeholder="https://git.example.org/course.git"
        {...field('url', 'source.git', 'source')}
        required
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput
          label="Branch, tag or commit"
          description="Also pull/12, or the whole ID of a commit"
          placeholder="the default branch"
          {...field('ref', 'source.ref')}
        />
        <TextInput
          label="Directory"
          description="Only its files are fetched"
          placeholder="the whole repository"
          {...field('path', 'source.path')}
        />
      </SimpleGrid>
      <TextInput
        label="Topology file"
        description="Its path in the directory, if it has another name than usual"
        placeholder="topology.yml"
        {...field('topology', 'topologyPath')}
      />
      {isPending && (
        <Text size="sm" role="status">
          The server fetches the files: this takes up to 45 seconds.
        </Text>
      )}
    </Stack>
  );
}
