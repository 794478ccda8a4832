/** A client of SSH in this process, for what the programs of OpenSSH cannot be brought to do. */
import { Client, type ClientChannel, type ConnectConfig } from 'ssh2';

export interface SshAnswer {
  readonly code: number | null;
  readonly out: string;
  readonly said: string;
}

/** Resolves when the login was accepted. @throws Error when it was not, or the connection ended before. */
export async function sshClient(port: number, login: ConnectConfig): Promise<Client> {
  const client = new Client();
  return new Promise((resolve, reject) => {
    client.once('ready', () => resolve(client));
    // It stays: an error that comes later has no other listener.
    client.on('error', reject);
    client.once('close', () => reject(new Error('the connection was closed')));
    client.connect({ host: '127.0.0.1', port, readyTimeout: 60_000, ...login });
  });
}

/** Resolves when the service has closed the connection. */
export async function sshClosed(client: Client): Promise<void> {
  return new Promise((resolve) => client.once('close', () => resolve()));
}

export async function openChannel(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
}

/** Listens in the turn in which the channel is opened: all of a short command may come at once. */
export async function sshExec(client: Client, command: string): Promise<SshAnswer> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      let [out, said] = ['', ''];
      channel.on('data', (bytes: Buffer) => (out += bytes.toString()));
      channel.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
      channel.once('close', (code: number | null = null) => resolve({ code, out, said }));
    }),
  );
}
