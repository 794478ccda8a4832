import winston from 'winston';
import { harmlessText } from '../lib/text/harmless-text.ts';

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

const madeLine = Symbol.for('message');

/** The whole line, once it is made: a name or a path that a client has sent must neither end it nor act on a terminal. */
const harmless = winston.format((info) => {
  info[madeLine] = harmlessText(String(info[madeLine]));
  return info;
});

/** Logs to standard error. Not to a file: winston's file transport loses lines when the process ends. */
export function createServiceLog({ level, format }: ServiceLogOptions): winston.Logger {
  const { combine, timestamp, json } = winston.format;
  return winston.createLogger({
    level,
    format: combine(timestamp(), format === 'json' ? json() : textLine, harmless()),
    transports: [new winston.transports.Console({ stderrLevels: ['error', 'warn', 'info', 'debug'] })],
  });
}
