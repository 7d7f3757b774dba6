/** The namespace prefix that an element's name may have. */
const PREFIX = '(?:[\\w.-]+:)?';

/**
 * Returns the content of all elements with this name, in order, with entities decoded. Suffices for answers of S3,
 * which never nest an element in one of the same name.
 */
export function textsOf(xml: string, name: string): readonly string[] {
  const element = new RegExp(`<${PREFIX}${name}(?:\\s[^>]*)?>([^]*?)</${PREFIX}${name}\\s*>`, 'g');
  return [...xml.matchAll(element)].map(([, text = '']) => unescape(text));
}

/**
 * Whether this is a complete document with this root. S3 may send spaces first, to keep the connection open while it
 * works.
 */
export function isDocument(xml: string, root: string): boolean {
  const prolog = '\\s*(?:<\\?[^>]*>\\s*)*';
  return new RegExp(`^${prolog}<${PREFIX}${root}(?:\\s[^>]*)?>[^]*</${PREFIX}${root}\\s*>\\s*$`).test(xml);
}

/** Returns the content of the first element with this name. */
export function textOf(xml: string, name: string): string | undefined {
  return textsOf(xml, name)[0];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes entities. */
function unescape(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
