import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CopySide } from '../../../ledger/copy/copy-side.ts';
import { openSide } from '../../../ledger/copy/open-side.ts';
import { endAfterTest } from '../../support/end-after-test.ts';

/** Where a ledger is. */
export type Kind = 'sqlite' | 'postgres';

const SERVER = process.env['TEST_POSTGRES'];

/** From where to where: under `npm run test:postgres`, all pairs with a PostgreSQL. */
export const PAIRS: readonly (readonly [from: Kind, to: Kind])[] =
  SERVER === undefined
    ? [['sqlite', 'sqlite']]
    : [
        ['sqlite', 'postgres'],
        ['postgres', 'sqlite'],
        ['postgres', 'postgres'],
      ];

/** The address of a new ledger. */
export function newAddress(kind: Kind, folder: string): string {
  if (kind === 'sqlite') return join(folder, `${randomUUID().slice(0, 8)}.db`);
  const url = new URL(SERVER ?? '');
  url.searchParams.set('schema', `c${randomUUID().slice(0, 8)}`);
  return url.href;
}

/** Opens a side, and makes it if it is not there; closed after the test. */
export async function openAt(address: string): Promise<CopySide> {
  const side = await openSide(address, () => undefined);
  endAfterTest(() => side.database.db.destroy());
  return side;
}
