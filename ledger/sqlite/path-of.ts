import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { urlSchemeOf } from '../../contract/url-scheme.ts';

/** The absolute path in an address: a path, or a `file:` or `sqlite:` URL. Undefined for any other URL. */
export function pathOf(address: string): string | undefined {
  const scheme = urlSchemeOf(address)?.toLowerCase();
  if (scheme === undefined) return resolve(address);
  if (scheme === 'file' && address.startsWith('file://')) return fileURLToPath(address);
  if (scheme === 'file' || scheme === 'sqlite') return resolve(address.slice(scheme.length + 1).replace(/^\/\//, ''));
  return undefined;
}
