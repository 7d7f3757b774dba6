/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fill, makeFolder, open } from '../setup.ts';

let folder: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
});
afterEach(() => remove());

describe('a ledger that is closed while something is written', () => {
  it('ends each write in order or with an error, never the process, and is whole when it is opened again', async () => {
    for (let round = 0; round < 10; round++) {
      const ledger = await open(folder);
      const name = `b${round}`;
      await fill(ledger, 3, name);
      const writes = Array.from({ length: 40 }, (_, at) =>
        ledger.setControl(name, at % 2 === 0 ? 'paused' : 'running'),
      );
      const settled = Promise.allSettled(writes);
      for (let turn = 0; turn < round; turn++) await Promise.resolve();
      await ledger.close();
      await settled;
      const again = await open(folder);
      expect(await again.findBatch(name)).toMatchObject({ state: 'open', rows: 3 });
      await again.close();
    }
  });
});
