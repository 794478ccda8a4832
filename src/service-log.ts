import winston from 'winston';
import type { Logger } from './lib/logger.ts';

interface ServiceLogOptions {
  readonly level: string;
  readonly format: 'text' | 'json';
}

/** `2026-11-21T01:44:09.123Z info  job queued job=… action=up`; JSON values where a value is not a plain word. */
const textLine = winston.format.printf(({ timestamp, level, message, ...fields }) => {
  const words = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([name, value]) =>
        `${name}=${typeof value === 'string' && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value)}`,
    );
  return [String(timestamp), level.padEnd(5), String(message), ...words].join(' ');
});

const levels = ['error', 'warn', 'info', 'debug'] as const;

/** Logs to standard error. Not to a file: winston's file transport loses lines when the process ends. */
export function createServiceLog({ level, format }: ServiceLogOptions): Logger {
  const { combine, timestamp, json } = winston.format;
  const logger = winston.createLogger({
    level,
    format: combine(timestamp(), format === 'json' ? json() : textLine),
    transports: [new winston.transports.Console({ stderrLevels: [...levels] })],
  });
  // Winston makes a line of everything, and only then looks whether anybody wants it: that of each request costs a fifth of it.
  for (const name of levels) if (!logger.isLevelEnabled(name)) logger[name] = () => logger;
  return logger;
}
