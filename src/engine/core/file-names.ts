/** Names of what the engine writes into the directory of a lab. */

/** The computed lab. */
export const snapshotName = 'lab.snapshot.json';

/** Where `collect` puts its files unless told otherwise, as netlab does. */
export const collectDirectoryName = 'config';
