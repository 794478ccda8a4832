import { notifications } from '@mantine/notifications';

/** Pages over plain HTTP have no clipboard API: they copy a selection. */
function copyMarked(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone;
}

/** Copies a text, and reports it: `what` is the name of the text, such as "The ID". */
export async function copyText(text: string, what: string): Promise<void> {
  const before = document.activeElement;
  const isDone = window.isSecureContext
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => copyMarked(text),
      )
    : copyMarked(text);
  if (before instanceof HTMLElement) before.focus();
  notifications.show(
    isDone
      ? { message: `${what} was copied`, color: 'green' }
      : { message: `${what} was not copied: the browser does not allow it`, color: 'red' },
  );
}
