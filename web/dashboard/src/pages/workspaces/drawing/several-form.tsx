import { Stack } from '@mantine/core';
import type { DrawnNode } from '../../../parts/drawing/drawing.ts';
import { FormControl, type FormProps } from './form-field.tsx';
import { valueAt } from '../../../parts/drawing/yaml-text.ts';
import { fieldsOf, type FormField } from './form-fields.ts';
import { GroupsField } from './groups-field.tsx';

interface Props extends FormProps {
  readonly nodes: readonly DrawnNode[];
}

/** The value that all of the nodes have. */
function common(nodes: readonly DrawnNode[], { keys }: FormField) {
  const values = new Set(nodes.map(({ attributes }) => valueAt(attributes, keys)));
  const [value] = values;
  return values.size === 1 ? { value } : { value: undefined, placeholder: 'different' };
}

/** Sets values of several nodes at once. */
export function SeveralForm({ nodes, drawing, language, devices, onEdit, onShowText }: Props) {
  const names = nodes.map(({ name }) => name);
  return (
    <Stack gap="xs">
      {fieldsOf('node', language, drawing)
        .filter(({ isForMany }) => isForMany)
        .map((field) => (
          <FormControl
            key={field.keys.join('.')}
            field={{ ...field, label: `${field.label} of all` }}
            owner={names.join(' ')}
            {...common(nodes, field)}
            devices={devices}
            onCommit={(keys, value) => onEdit({ kind: 'set-nodes', nodes: names, keys, value })}
            onShowText={() => {
              const span = nodes.find((node) => node.span)?.span;
              if (span !== undefined) onShowText(span);
            }}
          />
        ))}
      {language !== 'containerlab' && <GroupsField drawing={drawing} nodes={names} onEdit={onEdit} />}
    </Stack>
  );
}
