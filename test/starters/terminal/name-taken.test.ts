import { describe, expect, it } from '@jest/globals';
import type { Reading } from '../../../contract/batch.ts';
import type { BatchDifference, TakenName } from '../../../batches/taken-name.ts';
import type { BatchRecord } from '../../../ledger/batches/batch-records.ts';
import { nameTakenText } from '../../../starters/terminal/name-taken.ts';

const READING: Reading = { kind: null, defaults: { voice: 'ada' }, map: { text: 'a b' }, tts: 'job' };

/** What the batch was last run with. */
const SAMPLE = { type: 'sample', rows: 5, seed: 1 } as const;

function textFor(
  differs: BatchDifference,
  wanted: Partial<Reading>,
  makers: TakenName['makers'] = [],
  state: BatchRecord['state'] = 'closed',
  subset: TakenName['subset'] = null,
  recorded: { readonly reading?: Partial<Reading>; readonly canAskAgain?: boolean } = {},
): string {
  const { reading, canAskAgain = true } = recorded;
  const settings = { reading: { ...READING, ...reading } } as BatchRecord['settings'];
  const apiUrl = 'http://127.0.0.1:8080/api/open/v1';
  const batch = { name: 'l', apiUrl, source: 'l.csv', subset: SAMPLE, settings, state } as BatchRecord;
  const taken = {
    type: 'taken',
    batch,
    differs,
    wanted: { ...READING, ...wanted },
    canAskAgain,
    subset,
    canRedrive: false,
    makers,
  } as const;
  return nameTakenText(taken, { path: 'l.csv', label: 'l.csv' }, (name) => `voxbatch run l.csv --name ${name}`);
}

it('a name that is taken by a batch of another address is the same batch if the address is set back, which comes first: a new name would pay again', () => {
  const [why, first, second] = textFor('api', {}).split('\n');
  expect(why).toMatch(/ran against another API \(http:.*Nothing was spent\. Choices:$/);
  expect(first).toMatch(
    /^ {2}export VOXBATCH_API_URL=http:\/\/127\.0\.0\.1:8080\/api\/open\/v1 .* the same command then goes on with that batch$/,
  );
  expect(second).toContain('voxbatch run l.csv --name NEW-NAME');
  expect(textFor('account', {})).toMatch(/^(?![^]*VOXBATCH_API_URL).*belongs to another account /);
});

describe('a name that is taken by a batch with other flags', () => {
  it.each<[Partial<Reading>, string]>([
    [{ defaults: { voice: 'lin' } }, '--voice ada there, --voice lin now'],
    [{ defaults: { voice: 'ada', format: 'wav' } }, 'no --format there, --format wav now'],
    [{ defaults: {} }, '--voice ada there, no --voice now'],
    [{ tts: 'sync', kind: 'tts' }, 'no --kind there, --kind tts now; no --tts there, --tts sync now'],
    [{ map: { text: 'a b', id: 'n' } }, "--map 'text=a b' there, --map 'text=a b' --map id=n now"],
    [
      { finish: { trimSilence: true, loudness: -16 } },
      'no --loudness there, --loudness -16 now; no --trim-silence there, --trim-silence now',
    ],
  ])('%j: names each flag that differs, as it was and is', (wanted, words) => {
    const text = textFor('reading', wanted);
    expect(text.split('\n')[0]).toBe(
      `The name "l" is taken by a batch that read the same manifest with other flags: ${words}. Nothing was spent. Choices:`,
    );
    expect(text).toContain(
      "\n  voxbatch run l.csv --voice ada --map 'text=a b'    goes on with the flags of that batch\n",
    );
  });

  it('goes on as it was made where flags cannot say it, and names each voice that the cast has changed', () => {
    const castOf = (...voices: readonly string[]): NonNullable<Reading['cast']> => ({
      from: 'cast.csv',
      members: voices.map((voice, at) => ({ name: `n${String(at)}`, values: { voice } })),
    });
    const recorded = { reading: { cast: castOf('v1', 'v2') }, canAskAgain: false };
    const text = textFor('reading', { cast: castOf('v1', 'v3', 'v4') }, [], 'open', null, recorded);
    expect(text.split('\n')[0]).toContain(
      'read the same manifest with another cast: n1 was v2 and is v3, n2 was not there and is v4. Nothing was spent.',
    );
    expect(text).toContain('\n  voxbatch up --until-idle    goes on with that batch as it was made\n');
    expect(text).not.toContain('with the flags of that batch');
    expect(textFor('reading', { cast: castOf('v1') }, [], 'closed', null, recorded)).not.toContain('goes on');
  });

  it('goes on with the rows that were asked for now, not with the sample before', () => {
    const reading = { join: { column: 'chapter', pause: 0 } };
    expect(textFor('reading', reading)).not.toContain('--sample');
    expect(textFor('reading', reading, [], 'closed', { type: 'limit', rows: 7 })).toContain('--limit 7    goes on');
  });

  it('says what to do with rows that would make its voices again', () => {
    const maker = { name: 'Ada', row: 1, line: 2, id: 'a' };
    expect(textFor('manifest', {})).not.toContain('remove');
    expect(textFor('manifest', {}, [maker])).toContain(
      'Before that, remove line 2 from the manifest: the voices that this batch made are there, and rows find them by name.',
    );
    expect(textFor('manifest', {}, [maker, maker])).toContain('the 2 rows of kind voice (the first: line 2)');
  });

  it('has a batch that is open stopped first, so that corrected rows are not paid for as they were', () => {
    const stop = 'Choices:\n  voxbatch stop l --now    first, if this is that manifest with corrections';
    expect(textFor('manifest', {}, [], 'open')).toContain(stop);
    expect(textFor('manifest', {})).not.toContain('stop');
    expect(textFor('reading', { tts: 'sync' }, [], 'open')).not.toContain('stop');
  });

  it('names both dialects', () => {
    expect(textFor('dialect', { legacyShare: 1 })).toContain(
      'speaks to the API with --api-dialect v1, for good (now: legacy)',
    );
  });
});
