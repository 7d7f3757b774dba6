import { damaged, UnreadableWorkbook } from './unreadable.ts';

/** What to do with the parts of a document. Names come without their prefixes. */
export interface XmlHandlers {
  /** `attributes`: as written; see {@link attributeOf}. */
  readonly open: (name: string, attributes: string) => void;
  readonly close: (name: string) => void;
  /** `text`: as written; see {@link plainText}. It may come in several pieces. */
  readonly text: (text: string) => void;
}

/** Longest tag, text or comment, in characters; those that are longer than a piece are scanned again with each. */
const MOST_PENDING = 2 * 1024 ** 2;
const MOST_DEPTH = 100;

/**
 * Scans XML in pieces. It knows no document types, so there are no entities that could grow or lead to other files: a
 * document with one is refused. Throws {@link UnreadableWorkbook}.
 */
export async function scanXml(pieces: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  const scan = scanPieces(pieces, handlers, () => undefined);
  while ((await scan.next()).done !== true);
}

/** The same, but yields what the handlers have gathered after each piece. */
export async function* scanPieces<T>(
  pieces: AsyncIterable<Buffer>,
  handlers: XmlHandlers,
  gathered: () => T,
): AsyncGenerator<T, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const scanner = new Scanner(handlers);
  const decode = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw damaged('text that is not UTF-8');
    }
  };
  for await (const piece of pieces) {
    scanner.push(decode(piece));
    yield gathered();
  }
  scanner.push(decode());
  scanner.end();
}

class Scanner {
  readonly #handlers: XmlHandlers;
  readonly #open: string[] = [];
  #pending = '';

  constructor(handlers: XmlHandlers) {
    this.#handlers = handlers;
  }

  push(more: string): void {
    const text = this.#pending + more;
    let at = 0;
    for (let tag = text.indexOf('<'); tag >= 0; tag = text.indexOf('<', at)) {
      if (tag > at) this.#handlers.text(text.slice(at, tag));
      const next = this.#scanTag(text, tag);
      at = next < 0 ? tag : next;
      if (next < 0) break;
    }
    this.#pending = text.slice(at);
    if (this.#pending.length > MOST_PENDING) throw damaged('a text or tag of more than 2 MB');
  }

  end(): void {
    if (this.#open.length > 0 || this.#pending.trim() !== '') throw damaged('it is cut off');
  }

  /** Returns where the tag ends; -1 if its end is not there yet. */
  #scanTag(text: string, at: number): number {
    const second = text[at + 1];
    if (second === '/') {
      const end = text.indexOf('>', at);
      if (end >= 0) this.#close(localName(text.slice(at + 2, end).trimEnd()));
      return end < 0 ? -1 : end + 1;
    }
    if (second === '?') return after(text, '?>', at);
    if (second === '!') return this.#scanMark(text, at);
    const end = endOfTag(text, at);
    if (end < 0) return -1;
    const isEmpty = text[end - 1] === '/';
    const inner = text.slice(at + 1, isEmpty ? end - 1 : end);
    const space = inner.search(/\s/u);
    const name = localName(space < 0 ? inner : inner.slice(0, space));
    this.#open.push(name);
    if (this.#open.length > MOST_DEPTH) throw damaged('it is nested too deep');
    this.#handlers.open(name, space < 0 ? '' : inner.slice(space));
    if (isEmpty) this.#close(name);
    return end + 1;
  }

  #close(name: string): void {
    if (this.#open.pop() !== name) throw damaged(`</${name}> without its begin`);
    this.#handlers.close(name);
  }

  #scanMark(text: string, at: number): number {
    if (text.startsWith('<!--', at)) return after(text, '-->', at + 4);
    if (text.startsWith('<![CDATA[', at)) {
      const end = after(text, ']]>', at + 9);
      if (end >= 0) this.#handlers.text(escaped(text.slice(at + 9, end - 3)));
      return end;
    }
    if (text.length - at < 9) return -1;
    throw new UnreadableWorkbook('it has a document type, which Excel never writes; save it again in Excel');
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? -1 : at + mark.length;
}

/** The `>` that ends a tag, not one within quotes. */
function endOfTag(text: string, at: number): number {
  let end = text.indexOf('>', at);
  while (end >= 0 && isQuoted(text.slice(at, end))) end = text.indexOf('>', end + 1);
  return end;
}

function isQuoted(tag: string): boolean {
  // Almost all tags: the quote before the end is one that closes.
  if ((/[^=\s]"\/?$/u.test(tag) || !tag.includes('"')) && !tag.includes("'")) return false;
  let quote = '';
  for (const one of tag) {
    if (quote === '' && (one === '"' || one === "'")) quote = one;
    else if (one === quote) quote = '';
  }
  return quote !== '';
}

/** CDATA, as it would stand outside of it. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;');
}

/** The value of an attribute, given its name with its prefix if it has one. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at >= 0; at = attributes.indexOf(name, at + 1)) {
    if (at > 0 && !SPACES.includes(attributes[at - 1] ?? '')) continue;
    let begin = at + name.length;
    // White space around the sign is allowed, but nobody writes it.
    while (SPACES.includes(attributes[begin] ?? '') || attributes[begin] === '=') begin += 1;
    const quote = attributes[begin];
    if (quote !== '"' && quote !== "'") continue;
    const end = attributes.indexOf(quote, begin + 1);
    if (end >= 0) return plainText(attributes.slice(begin + 1, end));
  }
  return undefined;
}

const SPACES = [' ', '\n', '\t', '\r'];

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text as it is meant. */
export function plainText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,10}));/giu, (all, decimal, hex, name) => {
    if (typeof name === 'string') return NAMED[name] ?? all;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
  });
}
