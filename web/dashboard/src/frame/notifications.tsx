import '@mantine/notifications/styles.css';
import { Notifications as Shown } from '@mantine/notifications';

/** The first page does not wait for it: a message that comes before it is shown then. */
export const Notifications = () => <Shown position="bottom-right" />;
