import { expect, it } from '@jest/globals';
import { lastRowWords } from '../../../starters/terminal/status-words.ts';
import { fill } from '../../ledger/setup.ts';
import { accept, find } from '../reached-states.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();

it('says of the last row that takes long that all others have ended, and how to look into it', async () => {
  const { ledger } = place;
  await fill(ledger, 20);
  await accept(ledger, 1);
  const words = async (ms: number): Promise<string> => {
    const [batch, counts, oldest] = [await find(ledger), await ledger.counts('b'), await ledger.oldestRow('b')];
    return lastRowWords({ batch, counts, oldest, isLedgerUnconfirmed: false }, (oldest?.since ?? 0) + ms);
  };
  expect(await words(600_000)).toBe('');
  for (let row = 2; row <= 20; row++)
    await ledger.giveUp({ batch: 'b', row, step: 'speech', take: 1, attempt: 1 }, { outcome: 'succeeded' });
  expect(await words(59_000)).toBe('');
  expect(await words(600_000)).toMatch(
    /^; 19 of 20 rows have ended[.] To look into it: voxbatch explain \S+ --batch b$/,
  );
});
