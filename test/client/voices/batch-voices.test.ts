import { expect, it } from '@jest/globals';
import { VoicesCache } from '../../../client/voices/batch-voices.ts';
import { complete } from '../../ledger/actions.ts';
import { aBatch, aRow, ledger, ledgerForEachTest, load, partsOf } from '../../ledger/setup.ts';
import { batchOf } from '../../ledger/readings.ts';

ledgerForEachTest();

it('the voices of a batch have the names that its manifest, its cast, or the row that made one says, and are counted once', async () => {
  const rows = [
    ['v-ada', 'name:Ada'],
    ['v-ada', 'name:Ada'],
    ['v-lin', 'Lin'],
    ['v-raw', 'v-raw'],
    ['name:Later', 'name:Later'],
  ].map(([voice = '', cell = ''], at) => ({
    ...aRow(at + 1),
    input: [`r${at + 1}`, 'text', cell],
    spec: { ...aRow(at + 1).spec, voice },
  }));
  const cast = { from: 'cast.csv', members: [{ name: 'Lin', values: { voice: 'v-lin' } }] };
  const maker = { ...aRow(6, 'voice'), spec: { kind: 'voice', name: 'Made', extra: {} } } as const;
  const speaker = { ...aRow(7), spec: { ...aRow(7).spec, voice: 'v-made' } };
  const inParts = { ...aRow(8), spec: { ...aRow(8).spec, voice: 'v-parts' }, parts: partsOf(9, 'one', 'two') };
  const { reading } = aBatch().settings;
  await load([...rows, maker, speaker, inParts], { settings: { reading: { ...reading, cast } } });
  await complete({ batch: 'b', row: 6, step: 'voice', take: 1, attempt: 1 }, { text: 'v-made' });
  const known = new VoicesCache();
  const { voices, areAll } = await known.read(ledger, await batchOf());
  expect(areAll).toBe(true);
  expect(voices.map(({ voice, name, rows: count }) => [voice, name, count])).toEqual([
    ['v-ada', 'Ada', 2],
    ['v-lin', 'Lin', 1],
    ['v-raw', null, 1],
    ['name:Later', 'Later', 1],
    ['v-made', 'Made', 1],
    ['v-parts', null, 1],
  ]);
  await complete(1);
  const again = await known.read({ counts: ledger.counts.bind(ledger) } as typeof ledger, await batchOf());
  expect(again.voices).toBe(voices);
});
