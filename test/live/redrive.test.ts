/** @slow */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import { saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

const MEDIA = 'https://media.example';
const HEADER = 'id,kind,text,voice,audio,video';
const tts = (id: string, text: string): string => `${id},tts,${text},narrator,,`;
const dub = (id: string, text: string): string => `${id},dub,${text},narrator,,${MEDIA}/${id}.mp4`;
const lipSync = (id: string): string => `${id},lip-sync,,,${MEDIA}/${id}.mp3?seconds=2,${MEDIA}/${id}.mp4`;

const NO_FAULTS: FaultPlan = { rules: [] };

const POLLING = { firstLookMs: 300, gapMs: 300 };

let world: LiveWorld;
let batches = 0;
/** The batch of a test, from a manifest of its own. */
let batch: string;
let manifest: string;
/** Paid requests before it. */
let paidBefore: number;

beforeAll(async () => {
  world = await LiveWorld.open({ server: true, seed: 61 });
});

/** A manifest whose first run meets these faults. All tests ask for the same, so none may have the results of another. */
async function open(
  rows: readonly string[],
  plan: FaultPlan,
  jobMs: readonly [number, number] = [300, 600],
  polling: object = POLLING,
): Promise<void> {
  batches += 1;
  batch = `lines${String(batches)}`;
  manifest = await world.write(`${batch}.csv`, `${[HEADER, ...rows].join('\n')}\n`);
  await world.configure({ polling, cache: 'off' });
  await world.changePlan(plan);
  await world.changeSimulator({ jobMs });
  paidBefore = world.simulator.ledger().length;
}

/** What was paid since, as `row-step-take`, in order. */
function paidAfter(before: number): string[] {
  return world.simulator
    .ledger()
    .slice(paidBefore + before)
    .map(({ idempotencyKey }) => /-(lines\d+)-(\d+-[a-z-]+-\d+)$/.exec(idempotencyKey ?? '') ?? [])
    .map(([, of, what]) => (of === batch ? what : undefined) ?? 'foreign')
    .toSorted();
}

const paid = (): number => world.simulator.ledger().length - paidBefore;

async function outcomes(): Promise<Record<string, unknown>> {
  return Object.fromEntries([...(await world.results(batch))].map(([id, row]) => [id, row['_outcome']]));
}

describe('rows whose jobs failed', () => {
  const ROWS = [
    tts('a', 'fine'),
    tts('b', 'broken'),
    dub('c', 'good'),
    dub('d', 'good too'),
    lipSync('e'),
    tts('f', 'ok'),
  ];
  const FAULTS: FaultPlan = {
    rules: [
      { on: 'create', operation: 'speech-job', match: { text: 'broken' }, fault: 'job-fails' },
      { on: 'create', operation: 'lip-sync-job', match: { text: `${MEDIA}/c.mp4` }, fault: 'job-fails' },
    ],
  };

  beforeEach(async () => {
    await open(ROWS, FAULTS);
    expect(await world.run(['run', manifest])).toMatchObject({ code: 10, stderr: saying('--where outcome=failed') });
    expect(await outcomes()).toMatchObject({
      a: 'succeeded',
      b: 'failed',
      c: 'failed',
      d: 'succeeded',
      e: 'succeeded',
    });
    await world.changePlan(NO_FAULTS);
  });

  it('are paid for once more, and nothing else is: not even the speech before a lip-sync', async () => {
    const before = paid();
    const redriven = await world.run(['redrive', batch, '--where', 'outcome=failed', '--json']);
    expect(redriven).toMatchObject({ code: 0, stderr: saying('1 row to send, from lip-sync on') });
    expect(JSON.parse(redriven.stdout)).toMatchObject({ exit: 'complete', outcomes: { succeeded: 6 } });
    expect(paidAfter(before)).toEqual(['2-speech-2', '3-lip-sync-2']);
    expect(await world.run(['verify', batch])).toMatchObject({ code: 0 });
    const story = await world.run(['explain', 'c', '--batch', batch]);
    expect(story.stdout).toMatch(/Take 2, .*from lip-sync on; speech kept\n.*replaced failed.*JobFailed/);
    // Again: no row is meant, nothing is paid, and the exit code is the batch's.
    expect(await world.run(['redrive', batch, '--where', 'outcome=failed'])).toMatchObject({ code: 0 });
    expect(paidAfter(before)).toHaveLength(2);
  });

  it('are a batch of their own in failed.csv, and running that is a redrive', async () => {
    const before = paid();
    // A spreadsheet may write the same rows otherwise; once they are taken, nothing of the file is worth keeping.
    const written = await world.read('out', batch, 'failed.csv');
    await world.write(`out/${batch}/failed.csv`, written.replaceAll('\n', '\r\n'));
    const ended = await world.run(['run', `out/${batch}/failed.csv`]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).not.toContain('had been edited');
    expect(paidAfter(before)).toEqual(['2-speech-2', '3-lip-sync-2']);
    expect(await outcomes()).toMatchObject({ b: 'succeeded', c: 'succeeded' });
    expect(await world.run(['run', `out/${batch}/results.csv`])).toMatchObject({
      code: 0,
      stderr: saying('nothing to redrive'),
    });
    expect(paidAfter(before)).toHaveLength(2);
  });

  it('are each given one take by two commands at once', async () => {
    const before = paid();
    const both = await Promise.all(
      [1, 2].map(() => world.run(['redrive', batch, '--where', 'outcome=failed', '--yes'])),
    );
    // One of them may come when the rows are open already; then it works on them, too.
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(paidAfter(before)).toEqual(['2-speech-2', '3-lip-sync-2']);
  });
});

it('that was ended does not ask to be repeated: when another process has finished it, that would pay once more', async () => {
  await open([tts('a', 'one'), tts('b', 'two')], NO_FAULTS);
  expect(await world.run(['run', manifest])).toMatchObject({ code: 0 });
  await world.changeSimulator({ jobMs: [3_600_000, 3_600_000] });
  const redriving = world.start(['redrive', batch, '--rows', 'b', '--yes', '--json']);
  await waitFor(() => paid() === 3);
  redriving.child.kill('SIGTERM');
  const { code, stdout, stderr } = await redriving.ended;
  const next = `voxbatch run ${batch}.csv`;
  expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({ code: 143, retry: 'after-change', next });
  expect(stderr).not.toMatch(/same command/i);
  await world.changeSimulator({ jobMs: [300, 600] });
  expect(await world.run(['stop', batch, '--now'])).toMatchObject({ code: 0 });
});

it('waits for jobs that were overdue, free', async () => {
  const polling = { ...POLLING, jobDeadlineMinutes: 0.03 };
  await open([tts('a', 'slow'), lipSync('b')], NO_FAULTS, [3_600_000, 3_600_000], polling);
  expect(await world.run(['run', manifest])).toMatchObject({ code: 13 });
  expect(await outcomes()).toEqual({ a: 'overdue', b: 'overdue' });
  expect(await world.run(['run', `out/${batch}/overdue.csv`])).toMatchObject({
    code: 2,
    stderr: saying(`voxbatch redrive ${batch} --where outcome=overdue`),
  });
  // They run still, and after that they do not.
  const redrive = ['redrive', batch, '--where', 'outcome=overdue'];
  expect(await world.run(redrive)).toMatchObject({ code: 13 });
  expect(await outcomes()).toEqual({ a: 'overdue', b: 'overdue' });
  await world.changeSimulator({ jobMs: [0, 0] });
  expect(await world.run(redrive)).toMatchObject({ code: 0 });
  expect(await outcomes()).toEqual({ a: 'succeeded', b: 'succeeded' });
  expect(paid()).toBe(2);
});

describe('a row whose answer was lost', () => {
  beforeEach(async () => {
    await open([tts('a', 'fine'), tts('b', 'lost')], {
      rules: [{ on: 'create', operation: 'speech-job', match: { text: 'lost' }, fault: 'reset-after' }],
    });
    expect(await world.run(['run', manifest])).toMatchObject({ code: 13 });
    await world.changePlan(NO_FAULTS);
  });

  it('is not paid for again without a say, and is with one, as a charge that stays uncertain', async () => {
    for (const [words, command] of [
      [['redrive', batch, '--where', 'outcome=unknown'], `redrive ${batch} --where outcome=unknown`],
      // Of the rows that were named only this one needs a say.
      [['redrive', batch, '--rows', 'a,b'], `redrive ${batch} --rows b`],
      [['run', `out/${batch}/unknown.csv`], `run out/${batch}/unknown.csv`],
    ] as const) {
      const refused = await world.run([...words, '--yes']);
      expect(refused).toMatchObject({
        code: 2,
        stderr: saying('b (row 2): the answer to its speech request was lost'),
      });
      expect(refused.stderr).toContain(`voxbatch ${command} --resubmit`);
    }
    expect(paid()).toBe(2);
    expect(await world.run(['run', `out/${batch}/unknown.csv`, '--resubmit'])).toMatchObject({ code: 0 });
    expect(paidAfter(2)).toEqual(['2-speech-2']);
    const summary = JSON.parse(await world.read('out', batch, 'summary.json')) as { credits: { uncertain: number } };
    expect(summary.credits.uncertain).toBeGreaterThan(0);
  });
});
