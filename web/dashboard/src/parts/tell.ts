import { notifications } from '@mantine/notifications';
import { ConnectionError } from '../../../../src/client/service-error.ts';

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  // The reason that browsers give is "Failed to fetch".
  if (error instanceof ConnectionError)
    return 'There is no connection to the service. Try again when it is back.';
  return error instanceof Error ? error.message : String(error);
}

/** Long enough to read two sentences twice. */
const noteMs = 20_000;

/** Shows a sentence above the page that asks for something. */
export function tellNote(title: string, message: string): void {
  notifications.show({ title, message, color: 'orange', autoClose: noteMs });
}

/** Shows an error above the page. `stays`: until the user closes it. */
export function tellError(title: string, error: unknown, { stays = false } = {}): void {
  notifications.show({ title, message: messageOf(error), color: 'red', ...(stays && { autoClose: false }) });
}
