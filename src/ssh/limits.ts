/** The bounds of what one client, and all clients, may have of the gateway. */

/** How long the gateway waits for a client. */
export interface SshPatience {
  /** From the connection to a right login, in ms. */
  readonly loginMs: number;
  /** A client that has been silent for so long is asked whether it is there, in ms. */
  readonly askMs: number;
}
export const usualPatience: SshPatience = { loginMs: 30_000, askMs: 30_000 };
/** A client that answers none of so many questions is gone. */
export const maxUnanswered = 3;

/** Wrong passwords and tokens of one connection. */
export const maxLogins = 6;
/** An agent offers all the keys that it has. */
export const maxKeyOffers = 32;
/** Each costs processor time; a client needs one. */
export const maxHandshakesBeforeLogin = 2;

export const maxConnections = 512;
export const maxConnectionsPerUser = 256;
/** Connections of an address that have not logged in yet. */
export const maxStrangersPerAddress = 16;
export const maxChannels = 32;

/** As much as may be on its way to a client before it is not read either: it may ask on and on without reading the answers. */
export const maxUnsentBytes = 1024 * 1024;
/** As much as may be on its way to a program through one channel: the window of RFC 4254. */
export const windowBytes = 256 * 1024;
/** As much as may be typed before the program at a terminal reads it. */
export const maxTypedBytes = 64 * 1024;

/** How long a client may take to close its end. */
export const closeMs = 2_000;
