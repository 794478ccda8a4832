import { Stack, Text } from '@mantine/core';
import type { DrawnNode } from '../../../parts/drawing/drawing.ts';
import { FormControl, OtherAttributes, type FormProps } from './form-field.tsx';
import { otherKeys } from './field-values.ts';
import { valueAt } from '../../../parts/drawing/yaml-text.ts';
import { fieldsOf, type FormField } from './form-fields.ts';
import { GroupsField } from './groups-field.tsx';
import { TextField } from './text-field.tsx';

interface Props extends FormProps {
  readonly node: DrawnNode;
}

function NameField({ node: { name }, drawing: { groups }, onEdit }: Props) {
  const rename = (to: string): string | undefined => {
    if (to === '') return 'a node needs a name';
    if (groups.some((group) => group.name === to)) return `a group has the name ${to} already`;
    // The edit selects the node under its new name.
    return onEdit({ kind: 'rename-node', name, to });
  };
  return <TextField label="Name" owner={name} text={name} onCommit={rename} />;
}

/** The value that is in force without one of its own, from a group or the defaults. */
function inherited({ device, role, attributes }: DrawnNode, { keys }: FormField): string | undefined {
  const [key] = keys;
  const value = key === 'device' || key === 'kind' ? device : key === 'role' ? role : null;
  // Then it is its own.
  const isOwn = valueAt(attributes, keys) !== undefined;
  return value === null || isOwn ? undefined : `${value} (default)`;
}

export function NodeForm(props: Props) {
  const { node, drawing, language, devices, onEdit, onShowText } = props;
  const { name, device, attributes, span } = node;
  if (span === undefined)
    return (
      <Text size="sm">
        {name} has no entry of its own in the file: a group adds it
        {device !== null && ` with the device ${device}`}. Change it in the text.
      </Text>
    );
  const fields = fieldsOf('node', language, drawing);
  const show = (): void => onShowText(span);
  // An entry of a list has its name among the attributes.
  const others = otherKeys(attributes, fields).filter((key) => key !== 'name' || attributes['name'] !== name);
  return (
    <Stack gap="xs">
      <NameField {...props} />
      {fields.map((field) => (
        <FormControl
          key={field.keys.join('.')}
          field={field}
          owner={name}
          value={valueAt(attributes, field.keys)}
          placeholder={inherited(node, field)}
          devices={devices}
          onCommit={(keys, value) => onEdit({ kind: 'set-node', node: name, keys, value })}
          onShowText={show}
        />
      ))}
      {language !== 'containerlab' && <GroupsField drawing={drawing} nodes={[name]} onEdit={onEdit} />}
      <OtherAttributes about={name} keys={others} onShowText={show} />
    </Stack>
  );
}
