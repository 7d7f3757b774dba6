import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { expectRun, placeForEach } from '../command-line.ts';

placeForEach();

it.each(['status', 'list', 'results'])(
  '%s without a ledger names the batches whose media are in the store, and how their ledger is restored',
  async (line) => {
    process.env['VOXBATCH_HOME'] = join(process.cwd(), 'home');
    for (const folder of ['lines-0123456789', 'other-0123456789'])
      mkdirSync(join('home', 'store', folder), { recursive: true });
    writeFileSync(join('home', 'store', '.ledger'), 'lost');
    const err = / has media of 2 batches \(lines, other\), .* Restore it from a backup: voxbatch restore FOLDER\./;
    await expectRun(line, 2, { out: '', err });
    // A command that was refused leaves one in which nothing was recorded.
    const empty = await openLedger(join(process.cwd(), 'home', 'ledger.db'));
    await empty.close();
    await expectRun(line === 'list' ? 'status' : line, 2, { out: '', err });
    expect(existsSync('out')).toBe(false);
  },
);
