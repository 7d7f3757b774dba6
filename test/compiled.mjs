import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

/** Checkouts may share their packages, so each has a folder of its own. */
const NAME = createHash('sha256').update(ROOT).digest('hex').slice(0, 8);

export const COMPILED = join(realpathSync(join(ROOT, 'node_modules')), '.cache', 'tests', NAME);

/** Where `compile.mjs` puts what it makes of a source. */
export function compiledOf(source) {
  return join(COMPILED, relative(ROOT, resolve(ROOT, source)).replace(/[.]ts$/, '.js'));
}
