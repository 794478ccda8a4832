import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { sourceOf } from '../../../parts/start-link.ts';
import { useAddress } from '../../../parts/use-address.ts';
import { ChooseSource } from './choose-source.tsx';
import { StartForm } from './start-form.tsx';

/** Starts a lab: what from, then how. `text` is what the address says of it: one can go back, and others can link here. */
export function StartDialog({ text }: { readonly text: string }) {
  const { change } = useAddress();
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const source = sourceOf(text);
  return (
    <Modal
      opened
      onClose={() => change({ start: undefined, from: undefined, dir: undefined })}
      title="Start a lab"
      size={760}
      fullScreen={isNarrow}
    >
      {source.kind === 'choose' ? <ChooseSource /> : <StartForm key={text} source={source} />}
    </Modal>
  );
}
