/** One terminal in a node: its screen, and the WebSocket to the service. It continues while it is not shown. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { ServiceError } from '../../../../../../../src/client/service-error.ts';
import { needsLogin } from '../../../../api/query-client.ts';
import { addressOf, getFrom, labPath } from '../../../../api/service.ts';
import { Store } from '../../../../api/store.ts';
import { theme } from '../../../../theme.ts';
import { terminalLooks } from './terminal-look.ts';
import { programEndOf, whyEnded, type ProgramEnd } from './why-ended.ts';

type TerminalState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open' }
  /** `why` is a sentence; `wasOpen` is false for a refused terminal. */
  | { readonly kind: 'ended'; readonly why: string; readonly wasOpen: boolean };

/** Typed keys that are kept until the terminal is open. */
const mostEarly = 1_000;
/** The service accepts up to 64 KiB at once. */
const maxPieceBytes = 32 * 1024;
/** A program may print faster than the page can draw; without a limit, the page would hang and its memory grow. */
const maxUnshownBytes = 16 * 1024 * 1024;
const againBelowBytes = 1024 * 1024;

interface TerminalPlace {
  readonly lab: string;
  readonly node: string;
  /** The name for users: `h1`, or `h1 (2)`. */
  readonly name: string;
}

/**
 * Why the service refuses the terminal. Scripts cannot read the refusal of a WebSocket, so the same request is sent as plain HTTP.
 */
async function whyRefused(path: string): Promise<string> {
  try {
    await getFrom(path);
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    if (!(error instanceof ServiceError)) return error.message;
    if (error.status === 401) needsLogin.set(true);
    if (error.status !== 426) return error.message;
  }
  return 'The service accepts the terminal, but the connection failed. Try again; a proxy in between must support WebSockets.';
}

const arrows = { '↑': 'A', '↓': 'B', '→': 'C', '←': 'D' } as const;

export const screenKeys = ['Esc', 'Tab', '←', '↓', '↑', '→'] as const;
type ScreenKey = (typeof screenKeys)[number];

/** Whether the terminal itself says this to a program that asked: where the cursor is, say. */
const isReport = (text: string): boolean =>
  text.startsWith('\u001B') && /^(?:\[[?>=]?[\d;]*[Rcnty]|[\]P])/.test(text.slice(1));

export class TerminalSession {
  readonly node: string;
  readonly name: string;
  readonly state = new Store<TerminalState>({ kind: 'opening' });
  /** Called when the user leaves the terminal by keyboard. */
  #onLeave = (): void => undefined;
  #onTyped: ((bytes: Uint8Array<ArrayBuffer>) => void) | undefined;
  /** Whether the next letter is typed with Ctrl. */
  readonly isControlHeld = new Store(false);
  readonly #path: string;
  readonly #screen: Terminal;
  readonly #fit = new FitAddon();
  readonly #place = document.createElement('div');
  #socket: WebSocket | undefined;
  #programEnd: ProgramEnd | undefined;
  /** Input from before the terminal was open. */
  #early: Uint8Array<ArrayBuffer>[] = [];
  #unshownBytes = 0;
  #omittedBytes = 0;

  constructor({ lab, node, name }: TerminalPlace) {
    this.node = node;
    this.name = name;
    this.#path = labPath(lab, 'nodes', encodeURIComponent(node), 'terminal');
    this.#place.style.height = '100%';
    this.#screen = new Terminal({
      fontFamily: theme.fontFamilyMonospace ?? 'monospace',
      fontSize: 13,
      scrollback: 10_000,
      screenReaderMode: true,
      minimumContrastRatio: 4.5,
      cursorBlink: false,
    });
    this.#screen.loadAddon(this.#fit);
    this.#screen.attachCustomKeyEventHandler((event) => this.#isForProgram(event));
    const encoder = new TextEncoder();
    this.#screen.onData((text) => this.#input(encoder.encode(this.#withControl(text)), isReport(text)));
    this.#screen.onBinary((text) =>
      this.#input(
        Uint8Array.from(text, (character) => character.charCodeAt(0)),
        false,
      ),
    );
    this.#screen.onResize(({ cols, rows }) => this.#say({ type: 'resize', columns: cols, rows }));
  }

  /** Puts the terminal into an element with a size, and opens it the first time. Returns a function that removes it. */
  show(parent: HTMLElement): () => void {
    parent.append(this.#place);
    const isFirst = this.#screen.element === undefined;
    if (isFirst) {
      this.#screen.open(this.#place);
      const { textarea } = this.#screen;
      textarea?.setAttribute('aria-label', `Terminal ${this.name}`);
    }
    this.fit();
    if (isFirst) this.connect();
    return () => this.#place.remove();
  }

  /** Fits the terminal to its element. */
  fit(): void {
    if (this.#place.clientHeight > 0) this.#fit.fit();
  }

  focus(): void {
    this.#screen.focus();
  }

  whenLeft(onLeave: () => void): void {
    this.#onLeave = onLeave;
  }

  wear(look: 'light' | 'dark'): void {
    this.#screen.options.theme = terminalLooks[look];
  }

  /** Connects, also again after the terminal has ended. */
  connect(): void {
    if (this.#socket) return;
    if (this.state.get().kind === 'ended') this.#screen.write('\u001B[0m\r\n');
    this.state.set({ kind: 'opening' });
    const { cols, rows } = this.#screen;
    const url = new URL(addressOf(this.#path), location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.search = `?columns=${cols}&rows=${rows}`;
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    this.#programEnd = undefined;
    this.#early = [];
    socket.addEventListener('open', () => {
      this.state.set({ kind: 'open' });
      for (const bytes of this.#early.splice(0)) this.type(bytes);
      // The size may have changed in the meantime.
      this.#say({ type: 'resize', columns: this.#screen.cols, rows: this.#screen.rows });
    });
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data === 'string') this.#programEnd = programEndOf(data) ?? this.#programEnd;
      else this.#print(new Uint8Array(data));
    });
    socket.addEventListener('close', (event) => {
      if (this.#socket === socket) void this.#noteEnd(event);
    });
  }

  /** Closes the connection and drops the screen. */
  end(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#place.remove();
    this.#screen.dispose();
  }

  async #noteEnd({ code, reason }: CloseEvent): Promise<void> {
    const wasOpen = this.state.get().kind === 'open';
    const why = wasOpen ? whyEnded(code, reason, this.#programEnd) : await whyRefused(this.#path);
    if (code === 4001) needsLogin.set(true);
    this.#socket = undefined;
    this.state.set({ kind: 'ended', why, wasOpen });
  }

  #say(message: Readonly<Record<string, unknown>>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Called with all input of the user, for the other terminals that get it too; undefined for none. */
  whenTyped(onTyped: ((bytes: Uint8Array<ArrayBuffer>) => void) | undefined): void {
    this.#onTyped = onTyped;
  }

  /** Types a key that a keyboard on a screen lacks. */
  press(key: ScreenKey): void {
    const prefix = this.#screen.modes.applicationCursorKeysMode ? '\u001BO' : '\u001B[';
    const sequence = key === 'Esc' ? '\u001B' : key === 'Tab' ? '\t' : `${prefix}${arrows[key]}`;
    this.#screen.input(sequence, true);
    this.focus();
  }

  #withControl(text: string): string {
    const code = text.codePointAt(0) ?? 0;
    if (!this.isControlHeld.get() || text.length !== 1 || code < 0x40 || code > 0x7e) return text;
    this.isControlHeld.set(false);
    // As a terminal encodes Ctrl with a letter, ECMA-48.
    return String.fromCodePoint(code & 0x1f);
  }

  #input(bytes: Uint8Array<ArrayBuffer>, isOfTerminal: boolean): void {
    this.type(bytes);
    if (!isOfTerminal) this.#onTyped?.(bytes);
  }

  /** Sends input to the program, or keeps it until the terminal is open. */
  type(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.CONNECTING && this.#early.length < mostEarly)
      this.#early.push(bytes);
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    for (let at = 0; at < bytes.length; at += maxPieceBytes)
      this.#socket.send(bytes.subarray(at, at + maxPieceBytes));
  }

  #print(bytes: Uint8Array): void {
    const isTooMuch = this.#unshownBytes > (this.#omittedBytes > 0 ? againBelowBytes : maxUnshownBytes);
    if (isTooMuch) {
      this.#omittedBytes += bytes.length;
      return;
    }
    if (this.#omittedBytes > 0)
      this.#screen.write(
        `\u001B[0m\r\n[${this.#omittedBytes} bytes were skipped: they arrived faster than the page can draw]\r\n`,
      );
    this.#omittedBytes = 0;
    this.#unshownBytes += bytes.length;
    this.#screen.write(bytes, () => {
      this.#unshownBytes -= bytes.length;
    });
  }

  /** Whether a key goes to the node. All keys do, except those that leave, copy and paste. */
  #isForProgram(event: KeyboardEvent): boolean {
    const { type, ctrlKey, shiftKey, altKey, metaKey, code } = event;
    if (!ctrlKey || !shiftKey || altKey || metaKey) return true;
    if (code === 'Enter') {
      event.preventDefault();
      if (type === 'keydown') this.#onLeave();
      return false;
    }
    if (code === 'KeyC') {
      // The terminal answers the copy command with its selection.
      event.preventDefault();
      if (type === 'keydown') document.execCommand('copy');
      return false;
    }
    // The browser pastes by itself.
    return code !== 'KeyV';
  }
}
