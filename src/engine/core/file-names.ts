/** Names of the files that the engine writes into the directory of a lab. */

/** The computed lab. */
export const snapshotName = 'lab.snapshot.json';

/** The default directory of `collect`, as in netlab. */
export const collectDirectoryName = 'config';
