import { Modal } from '@mantine/core';
import { KeyTable } from '../parts/key-table.tsx';

export function ShortcutsHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keyboard shortcuts"
      styles={{ title: { fontWeight: 600 } }}
    >
      <KeyTable />
    </Modal>
  );
}
