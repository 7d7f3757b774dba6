import { damaged, UnreadableWorkbook } from './unreadable.ts';

/** Called with the parts of a document, in order. Names come without their namespace prefixes. */
export interface XmlHandlers {
  /** `attributes`: as written; see {@link attributeOf}. */
  readonly open: (name: string, attributes: string) => void;
  readonly close: (name: string) => void;
  /** `text`: as written; see {@link plainText}. It may come in several pieces. */
  readonly text: (text: string) => void;
}

/** Max characters of a tag, text or comment that spans pieces, because it is scanned again with each piece. */
const MAX_PENDING = 2 * 1024 ** 2;
/** Max depth of elements. */
const MAX_DEPTH = 100;

/**
 * Scans XML in pieces. Refuses document types, so that there are no entities, which could expand without limit or refer
 * to other files. Throws {@link UnreadableWorkbook}.
 */
export async function scanXml(pieces: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  const scan = scanPieces(pieces, handlers, () => undefined);
  while ((await scan.next()).done !== true);
}

/** Scans like {@link scanXml}, and yields the result of `gathered` after each piece. */
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

/** Splits a document into tags and text. */
class Scanner {
  readonly #handlers: XmlHandlers;
  /** Names of the open elements. */
  readonly #open: string[] = [];
  /** The end of the last piece: an incomplete tag, or text. */
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
    if (this.#pending.length > MAX_PENDING) throw damaged('a text or tag of more than 2 MB');
  }

  end(): void {
    if (this.#open.length > 0 || this.#pending.trim() !== '') throw damaged('it is cut off');
  }

  /** Handles the tag at an index. Returns the index after it; -1 if its end has not come yet. */
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
    if (this.#open.length > MAX_DEPTH) throw damaged('it is nested too deep');
    this.#handlers.open(name, space < 0 ? '' : inner.slice(space));
    if (isEmpty) this.#close(name);
    return end + 1;
  }

  #close(name: string): void {
    if (this.#open.pop() !== name) throw damaged(`</${name}> without its begin`);
    this.#handlers.close(name);
  }

  /** Handles a comment or CDATA, like {@link #scanTag}. */
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

/** Removes the namespace prefix of a name. */
function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

/** Returns the index after a mark; -1 if it has not come yet. */
function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? -1 : at + mark.length;
}

/** Returns the index of the `>` that ends a tag, ignoring those within quotes; -1 if it has not come yet. */
function endOfTag(text: string, at: number): number {
  let end = text.indexOf('>', at);
  while (end >= 0 && isQuoted(text.slice(at, end))) end = text.indexOf('>', end + 1);
  return end;
}

/** Whether a quote is open at the end of this part of a tag. */
function isQuoted(tag: string): boolean {
  // Fast path for almost all tags: a double quote directly before the end closes.
  if ((/[^=\s]"\/?$/u.test(tag) || !tag.includes('"')) && !tag.includes("'")) return false;
  let quote = '';
  for (const one of tag) {
    if (quote === '' && (one === '"' || one === "'")) quote = one;
    else if (one === quote) quote = '';
  }
  return quote !== '';
}

/** Escapes the content of CDATA, as handlers expect text. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;');
}

/** Returns the decoded value of an attribute, by its name with any prefix; undefined if it is absent. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at >= 0; at = attributes.indexOf(name, at + 1)) {
    if (at > 0 && !SPACES.includes(attributes[at - 1] ?? '')) continue;
    let begin = at + name.length;
    // White space around `=` is allowed, though rare.
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

/** Decodes the entities in a text. */
export function plainText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,10}));/giu, (all, decimal, hex, name) => {
    if (typeof name === 'string') return NAMED[name] ?? all;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
  });
}
