/** Rejects when the script is asked to end, so that it tidies up first: to be raced against its work. */
export function interrupted() {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => reject(new Error(`ended by ${signal}`)));
  });
}
