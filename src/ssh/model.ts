/** The parts of the service that the gateway uses; `src/service` passes them in. */
import type { AuditLog } from '../access/model/audit.ts';
import type { Logins } from '../access/model/logins.ts';
import type { Principal } from '../access/model/principal.ts';
import type { LiveSettings } from '../config/settings.ts';
import type { Logger } from '../lib/logger.ts';
import type { UserLabs } from '../restricted/user-labs.ts';
import type { SshObserver } from './ssh-observer.ts';

/** The service as one user may have it. */
interface UserParts {
  readonly labs: Pick<UserLabs, 'find' | 'list'>;
  /** Aborted with the service, or with the login of the user. */
  readonly shutdown: AbortSignal;
}

export interface GatewayDeps {
  readonly logins: Pick<Logins, 'isRequired' | 'byPassword' | 'byToken' | 'byKey'>;
  readonly partsOf: (principal: Principal) => UserParts;
  /** The name under which the wrong logins of an address are counted, as over HTTP. */
  readonly countedAddress: (address: string | undefined) => string;
  readonly audit: AuditLog;
  readonly live: Pick<LiveSettings, 'terminalIdleMs'>;
  /** Where the host key is kept. */
  readonly dataDir: string;
  readonly observer: SshObserver;
  readonly log: Logger;
}
