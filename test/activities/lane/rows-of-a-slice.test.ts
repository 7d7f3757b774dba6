import { expect, it } from '@jest/globals';
import type { WorkEvent } from '../../../contract/work-events.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BATCH, texts, tts } from '../rows.ts';
import { begin } from '../world.ts';

it('a slice tells how many rows were done in it, without those that go on in another one', async () => {
  const events: WorkEvent[] = [];
  const { world, worker } = await begin([...texts(3), tts('It never ends.')], {
    rules: [{ on: 'create', match: { text: 'never ends' }, fault: 'job-stuck' }],
    change: () => ({ observe: (event) => events.push(event) }),
  });
  const end = new AbortController();
  const working = worker.work(BATCH, end.signal);
  await waitFor(async () => (await world.ledger.counts(BATCH)).outcomes.succeeded === 3);
  // A row is done here a moment after its end is on record: by then a job was read again.
  const polls = (): number => events.filter(({ type }) => type === 'poll').length;
  const before = polls();
  await waitFor(() => polls() > before);
  end.abort();
  expect(await working).toEqual({ then: 'more' });
  const rows = (is: string): number =>
    events.reduce((sum, event) => sum + (event.type === 'lane' && event.is === is ? (event.rows ?? 0) : 0), 0);
  expect([rows('claimed'), rows('more')]).toEqual([4, 3]);
});
