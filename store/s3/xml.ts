/** What may stand before the name of an element: that of its namespace. */
const SPACE = '(?:[\\w.-]+:)?';

/**
 * The texts of all elements of this name, in order. S3's answers have no attributes in them, and nest no name in
 * itself.
 */
export function textsOf(xml: string, name: string): readonly string[] {
  const element = new RegExp(`<${SPACE}${name}(?:\\s[^>]*)?>([^]*?)</${SPACE}${name}\\s*>`, 'g');
  return [...xml.matchAll(element)].map(([, text = '']) => unescape(text));
}

/**
 * Whether this is a whole document with this root. S3 may begin it with spaces, to keep a connection while it works.
 */
export function isDocument(xml: string, root: string): boolean {
  const prolog = '\\s*(?:<\\?[^>]*>\\s*)*';
  return new RegExp(`^${prolog}<${SPACE}${root}(?:\\s[^>]*)?>[^]*</${SPACE}${root}\\s*>\\s*$`).test(xml);
}

/** The text of the first element of this name. */
export function textOf(xml: string, name: string): string | undefined {
  return textsOf(xml, name)[0];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
