/** @slow */
import { expect, it } from '@jest/globals';
import { fill, open, upTo } from '../setup.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

it('a ledger that is closed while something is written ends each write in order or with an error, never the process, and is whole when it is opened again', async () => {
  const folder = freshFolder();
  for (const round of upTo(10)) {
    const ledger = await open(folder);
    const name = `b${round}`;
    await fill(ledger, 3, name);
    const writes = upTo(40).map((at) => ledger.setControl(name, at % 2 === 0 ? 'paused' : 'running'));
    const settled = Promise.allSettled(writes);
    for (let turn = 1; turn < round; turn++) await Promise.resolve();
    await ledger.close();
    await settled;
    const again = await open(folder);
    expect(await again.findBatch(name)).toMatchObject({ state: 'open', rows: 3 });
    await again.close();
  }
});
