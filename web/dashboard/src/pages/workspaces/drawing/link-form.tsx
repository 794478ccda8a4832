import { Fieldset, SimpleGrid, Stack } from '@mantine/core';
import type { DrawnEnd, DrawnLink } from '../../../parts/drawing/drawing.ts';
import { FormControl, OtherAttributes, type FormProps } from './form-field.tsx';
import { otherKeys } from './field-values.ts';
import { valueAt } from '../../../parts/drawing/yaml-text.ts';
import { fieldsOf } from './form-fields.ts';
import { TextField } from './text-field.tsx';

interface Props extends FormProps {
  readonly link: DrawnLink;
}

/** One end of the link: its interface and addresses. */
function EndFields({ end, index, ...props }: Props & { readonly end: DrawnEnd; readonly index: number }) {
  const { link, drawing, language, devices, onEdit, onShowText } = props;
  const fields = fieldsOf('end', language, drawing);
  const show = (): void => onShowText(link.span);
  // Every language has its own key for the name of the interface.
  const attributes = { ...end.attributes, ifname: end.interface, interface: end.interface };
  return (
    <Fieldset legend={end.node} p="xs">
      <Stack gap="xs">
        <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
          {fields.map((field) => (
            <div key={field.keys.join('.')} style={field.isWide ? { gridColumn: '1 / -1' } : {}}>
              <FormControl
                field={field}
                owner={`${link.id} ${index}`}
                value={valueAt(attributes, field.keys)}
                devices={devices}
                onCommit={(keys, value) =>
                  onEdit({ kind: 'set-end', link: link.id, end: index, keys, value })
                }
                onShowText={show}
              />
            </div>
          ))}
        </SimpleGrid>
        <OtherAttributes about={end.node} keys={otherKeys(end.attributes, fields)} onShowText={show} />
      </Stack>
    </Fieldset>
  );
}

/** Makes a network of a line. */
function AddEnd({ link, drawing, onEdit }: Props) {
  const { id, ends } = link;
  const others = drawing.nodes
    .map(({ name }) => name)
    .filter((name) => ends.every(({ node }) => node !== name));
  const add = (node: string): string | undefined =>
    others.includes(node)
      ? onEdit({ kind: 'add-ends', link: id, nodes: [node] })
      : `there is no other node ${node}`;
  return (
    <TextField
      label="Add another node"
      owner={id}
      text=""
      placeholder={others.length === 0 ? 'all nodes are in it' : 'choose a node'}
      suggestions={others.map((value) => ({ value }))}
      onCommit={add}
    />
  );
}

export function LinkForm(props: Props) {
  const { link, drawing, language, devices, onEdit, onShowText } = props;
  const { id, ends, attributes, span } = link;
  const fields = fieldsOf('link', language, drawing);
  const show = (): void => onShowText(span);
  return (
    <Stack gap="xs">
      {fields.map((field) => (
        <FormControl
          key={field.keys.join('.')}
          field={field}
          owner={id}
          value={valueAt(attributes, field.keys)}
          devices={devices}
          onCommit={(keys, value) => onEdit({ kind: 'set-link', link: id, keys, value })}
          onShowText={show}
        />
      ))}
      <OtherAttributes about="the link" keys={otherKeys(attributes, fields)} onShowText={show} />
      {ends.map((end, index) => (
        <EndFields key={`${index} ${end.node}`} {...props} end={end} index={index} />
      ))}
      {/* A link of containerlab has two ends. */}
      {language !== 'containerlab' && <AddEnd {...props} />}
    </Stack>
  );
}
