import { describe, expect, it } from '@jest/globals';
import { learnTextLimit } from '../../../activities/parts/learn-text-limit.ts';
import type { Failure } from '../../../contract/failures.ts';

const REFUSED: Failure = {
  class: 'BadRequest',
  message: 'The API answered with 400 – text must be at most 500 characters',
};

/** What becomes of the refusal of a text, and what was noted. `single`: the command that asked for it. */
async function refuse(
  failure: Failure,
  single?: string,
  kind = 'tts',
): Promise<{ message: string; noted: readonly unknown[] }> {
  const noted: unknown[] = [];
  const deps = {
    ledger: { noteTextLimit: (...args: readonly unknown[]) => Promise.resolve(void noted.push(args.slice(1))) },
    realm: {},
    observe: () => undefined,
  } as unknown as Parameters<typeof learnTextLimit>[0];
  const loaded = {
    row: { spec: { kind, text: 'a'.repeat(600) } },
    operation: 'speech-job',
    batch: { settings: { single } },
  };
  const { message } = await learnTextLimit(deps, loaded as unknown as Parameters<typeof learnTextLimit>[1], failure);
  return { message, noted };
}

describe('a refusal that names the longest text', () => {
  it('is noted, and says what to do with a row of a batch, and with a single job', async () => {
    const row = await refuse(REFUSED);
    expect(row.noted).toEqual([['speech-job', 500]]);
    expect(row.message).toContain('has 600 characters, and the API takes 500. Run the manifest with --split sentences');
    const single = await refuse(REFUSED, 'say');
    expect(single.noted).toEqual(row.noted);
    expect(single.message).toMatch(/takes 500\. To split it, run the same command with --split sentences\.$/);
    expect((await refuse(REFUSED, undefined, 'dub')).message).toContain('Texts of dub rows are not cut: shorten it.');
  });

  it('is one only if it says so', async () => {
    const other: Failure = { class: 'BadRequest', message: 'No such voice' };
    expect(await refuse(other)).toEqual({ message: 'No such voice', noted: [] });
  });
});
