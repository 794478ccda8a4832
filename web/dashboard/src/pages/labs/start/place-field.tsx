import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useWorkspaces } from '../../../api/queries.ts';
import type { Place } from './place.ts';
import { RunningLab } from './source-field.tsx';

interface Props {
  readonly place: Place;
  /** The directory of the template; undefined without a template. */
  readonly beside: string | undefined;
  /** The name of a new workspace. */
  readonly fresh: string;
  readonly onChange: (place: Place) => void;
  readonly error: string | undefined;
  /** Whether the files come from Git, which need a workspace. */
  readonly isOfGit: boolean;
}

export function PlaceField({ place, beside, fresh, onChange, error, isOfGit }: Props) {
  const isBeside = place.kind === 'beside';
  const known = useWorkspaces().data ?? [];
  const typed = place.kind === 'workspace' ? place.text.trim() : undefined;
  const lab = known.find(({ name }) => name === typed)?.lab;
  const fields = isOfGit ? (
    <TextInput
      label="Workspace"
      description="Created if it does not exist; files that came from Git before are replaced"
      value={place.text}
      error={error}
      onChange={(event) => onChange({ kind: 'workspace', text: event.currentTarget.value })}
      required
    />
  ) : (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
      <NativeSelect
        label="Location"
        description="The directory for the files of the lab CLI"
        value={place.kind}
        error={isBeside ? error : undefined}
        onChange={({ currentTarget: { value } }) =>
          onChange(
            value === 'workspace'
              ? { kind: value, text: fresh }
              : { kind: value === 'beside' ? value : 'directory', text: '' },
          )
        }
        data={[
          { value: 'workspace', label: 'in a workspace' },
          ...(beside === undefined ? [] : [{ value: 'beside', label: 'beside the template' }]),
          { value: 'directory', label: 'in another directory' },
        ]}
      />
      {isBeside ? (
        <TextInput
          label="Directory"
          description="The lab can use the files beside the template"
          value={beside}
          readOnly
        />
      ) : place.kind === 'workspace' ? (
        <TextInput
          label="Workspace"
          description="Created if it does not exist"
          value={place.text}
          error={error}
          onChange={(event) => onChange({ ...place, text: event.currentTarget.value })}
          required
        />
      ) : (
        <TextInput
          label="Directory"
          description="It must exist on the server"
          placeholder="/srv/labs/course"
          value={place.text}
          error={error}
          onChange={(event) => onChange({ ...place, text: event.currentTarget.value })}
          required
        />
      )}
    </SimpleGrid>
  );
  return (
    <Stack gap="sm">
      {fields}
      {typeof lab === 'string' && <RunningLab id={lab} />}
    </Stack>
  );
}
