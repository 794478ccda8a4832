import { Button, Group, Stack, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { ProblemNotice } from './problem-notice.tsx';

interface Props {
  readonly title: string;
  readonly isOpen?: boolean;
  /** The label of the button that changes nothing. */
  readonly no?: string;
  /** The label of the button that does it. */
  readonly yes: string;
  /** Whether data is lost. */
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** Whether it has fields: Enter in a field submits it. */
  readonly isForm?: boolean;
  /** The button with the focus when the dialog opens. */
  readonly focus?: 'yes' | 'no';
  /** The error of the last attempt. */
  readonly error?: Error | null;
  readonly errorTitle?: string;
  readonly onClose: () => void;
  readonly onYes: () => void;
  /** The outcome, in place of the question. */
  readonly done?: ReactNode;
  readonly size?: ModalProps['size'];
  readonly children: ReactNode;
}

/** The button that was pressed before is gone: the focus goes here. */
function Done({ onClose, children }: Pick<Props, 'onClose' | 'children'>) {
  return (
    <Stack>
      {children}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} ref={(button) => button?.focus()}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

/** A dialog with one action. */
export function Question(props: Props) {
  const { title, isOpen = true, no = 'Cancel', yes, isDangerous = false, isForm = false, focus } = props;
  const body = (
    <Stack>
      {props.children}
      {props.error && (
        <ProblemNotice
          error={props.error}
          {...(props.errorTitle !== undefined && { title: props.errorTitle })}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose} data-autofocus={focus === 'no' || undefined}>
          {no}
        </Button>
        <Button
          {...(isDangerous && { color: 'red.9' })}
          {...(isForm ? { type: 'submit' as const } : { onClick: props.onYes })}
          loading={props.isBusy ?? false}
          disabled={props.isDisabled ?? false}
          data-autofocus={focus === 'yes' || undefined}
        >
          {yes}
        </Button>
      </Group>
    </Stack>
  );
  return (
    <Dialog
      opened={isOpen}
      onClose={props.onClose}
      // With an outcome, there is no question.
      title={props.done === undefined ? title : title.replace(/\?$/, '')}
      size={props.size ?? 'md'}
    >
      {props.done !== undefined ? (
        <Done onClose={props.onClose}>{props.done}</Done>
      ) : isForm ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            props.onYes();
          }}
        >
          {body}
        </form>
      ) : (
        body
      )}
    </Dialog>
  );
}
