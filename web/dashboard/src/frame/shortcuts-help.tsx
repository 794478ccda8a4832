import { Modal } from '@mantine/core';
import { KeyTable } from '../parts/key-table.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** `?` opens it. */
export function ShortcutsHelp({ isOpen, onClose }: Props) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keyboard shortcuts"
      styles={{ title: { fontWeight: 600 } }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <KeyTable />
    </Modal>
  );
}
