/** Joins the SSH gateway with the parts that it uses. */
import { listenError } from '../config/listen-error.ts';
import type { Config } from '../config/config.ts';
import { addressOf } from '../http/request/address.ts';
import { SshGateway } from '../ssh/gateway.ts';
import type { GatewayDeps } from '../ssh/model.ts';

type Joined = 'countedAddress' | 'dataDir' | 'live';

interface SshDeps extends Omit<GatewayDeps, Joined> {
  readonly config: Config;
}

export function createSsh({ config, ...parts }: SshDeps): SshGateway {
  const { dataDir, live } = config;
  return new SshGateway({ ...parts, dataDir, live, countedAddress: (ip = 'gone') => addressOf({ ip }) });
}

/** Listens where the settings say so. @throws Error with a sentence for a person. */
export async function listenForSsh(
  gateway: SshGateway,
  config: Config,
  log: GatewayDeps['log'],
): Promise<void> {
  const { bind, sshPort: port } = config;
  if (port === undefined) return;
  const { fingerprint } = await gateway.hostKey();
  await gateway.listen(bind, port).catch((error: unknown) => {
    throw listenError(error, { bind, port, portName: 'LAB_API_SSH_PORT' });
  });
  log.info('lab-api serves SSH', { address: bind, port: gateway.port, fingerprint });
}
