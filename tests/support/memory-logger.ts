import type { LogFields, Logger } from '../../src/lib/logger.ts';

interface LogEntry {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger whose words can be read back. */
export class MemoryLogger implements Logger {
  readonly entries: LogEntry[] = [];

  debug(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'error', message, fields });
  }

  /** The messages of errors, in order. */
  errors(): string[] {
    return this.entries.filter(({ level }) => level === 'error').map(({ message }) => message);
  }
}
