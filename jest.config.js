import os from 'node:os';

/** One worker per test file keeps real processes and sockets of one file away from those of another. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/tests'],
  testMatch: ['**/*.test.ts'],
  // These packages are ES modules alone, and Jest loads CommonJS.
  transformIgnorePatterns: ['/node_modules/(?!(?:openid-client|oauth4webapi|jose)/)'],
  transform: {
    '^.+\\.(ts|mjs)$|/node_modules/.+\\.js$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  globalSetup: '<rootDir>/tests/support/build-once.ts',
  reporters: ['default', '<rootDir>/tests/support/skip-reporter.cjs'],
  testSequencer: '<rootDir>/tests/support/long-files-first.cjs',
  // Every test file imports what it uses: without this, Jest makes its own object for each module that is loaded.
  injectGlobals: false,
  testTimeout: 120_000,
  // Half of the time a worker waits: for a process to end, a packet to come back, a disk to write. One more for a file that
  // waits for its turn at the lab server or the browser.
  maxWorkers: Math.ceil(os.availableParallelism() * 1.5) + 1,
};
