import { expect, it } from '@jest/globals';
import { billLines, pricesOf, spendFacts } from '../../../batches/plan/bill-lines.ts';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import { settingsOf } from '../../activities/rows.ts';
import { check } from '../../inputs/manifest-file.ts';

const CERTAIN = { ...BUILT_IN_PRICES, transcription: { ...BUILT_IN_PRICES.transcription, estimate: false } };
const MANIFEST = [
  'id,text,voice,audio,video,duration',
  'a,Hello,narrator,,,',
  'b,Hello,narrator,,https://media.example/v.mp4,3',
  'c,,,https://media.example/a.mp3,,2',
  'd,,,https://media.example/a.mp3,,',
].join('\n');

it('counts rows, paid requests and credits by kind, and sums them up', async () => {
  const summary = await check(MANIFEST);
  const { kinds, total } = billLines(summary, settingsOf({}));
  expect(kinds.map(({ kind, rows, requests, unpriced }) => [kind, rows, requests, unpriced])).toEqual([
    ['tts', 1, 1, 0],
    ['stt', 2, 2, 1],
    ['dub', 1, 2, 0],
  ]);
  expect(total).toMatchObject({ kind: 'total', rows: 4, requests: 5, unpriced: 1, quoted: summary.quoted });
});

it('is an estimate where a price is our reading, or a length is assumed', async () => {
  const stt = 'id,audio,duration\na,https://media.example/a.mp3,2\n';
  const isEstimate = async (manifest: string, prices = CERTAIN, more = {}): Promise<boolean> =>
    billLines(await check(manifest, { prices, ...more }), settingsOf({ prices })).total.isEstimate;
  expect(await isEstimate(stt)).toBe(false);
  expect(await isEstimate(stt, BUILT_IN_PRICES)).toBe(true);
  expect(await isEstimate(stt.replace(',2', ','), CERTAIN, { assumeSeconds: 5 })).toBe(true);
});

it('has the prices of just the operations that the rows need', async () => {
  const summary = await check(MANIFEST);
  expect([...pricesOf(summary, settingsOf({ tts: 'sync' })).keys()]).toEqual([
    'speech-sync',
    'transcription',
    // A dub needs a job of its own, for its lip-sync is made from it.
    'speech-job',
    'lip-sync-job',
  ]);
});

it('gives the facts of a decision on spending: the bill, the budget, and whether part of it is estimated', async () => {
  const payer = { balance: 7, yes: false, canAsk: true, confirmAbove: 5 };
  const summary = await check('id,audio,duration\na,https://media.example/a.wav,4\n', { prices: CERTAIN });
  const factsWith = (prices: typeof BUILT_IN_PRICES): ReturnType<typeof spendFacts> =>
    spendFacts(summary, settingsOf({ budget: 9, prices }), payer);
  expect(factsWith(CERTAIN)).toEqual({
    rows: 1,
    bill: summary,
    isEstimate: false,
    budget: 9,
    ...payer,
  });
  expect(factsWith(BUILT_IN_PRICES).isEstimate).toBe(true);
});
