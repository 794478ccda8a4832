import { notifications } from '@mantine/notifications';

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Shows an error above the page. `stays`: until the user closes it. */
export function tellError(title: string, error: unknown, { stays = false } = {}): void {
  notifications.show({ title, message: messageOf(error), color: 'red', ...(stays && { autoClose: false }) });
}
