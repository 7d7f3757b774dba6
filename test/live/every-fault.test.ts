/** @slow */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { FAILURES, type FailureClass } from '../../contract/failures.ts';
import type { FaultPlan } from '../../simulator/start-simulator.ts';
import type { Ended } from '../support/live-command.ts';
import { LiveWorld } from '../support/live-world.ts';

type Rule = NonNullable<FaultPlan['rules']>[number];

/** What becomes of a row that meets a fault. */
interface Case {
  readonly what: string;
  readonly kind?: 'tts' | 'stt' | 'lip-sync' | 'dub';
  /** One rule or more; each acts on this row only. */
  readonly faults: readonly Omit<Rule, 'match'>[];
  readonly outcome: 'succeeded' | 'failed' | 'unfit' | 'unknown' | 'overdue';
  readonly class?: FailureClass;
  /** What the message says: what happened, and whether it cost anything. */
  readonly says?: readonly RegExp[];
  /** Paid requests that were taken and charged for the row. */
  readonly charges: number;
  /** Requests that it takes, at least. */
  readonly attempts?: number;
}

const FREE = /nothing was charged/i;
const PERHAPS = /may have (been )?charged/i;

const rejected = (what: string, fault: Rule['fault'], says: RegExp): Case => ({
  what,
  faults: [{ on: 'create', fault }],
  outcome: 'failed',
  class: 'BadRequest',
  says: [says, FREE],
  charges: 0,
});
const unknown = (what: string, fault: Rule['fault'], says: RegExp, charges: number): Case => ({
  what,
  faults: [{ on: 'create', fault }],
  outcome: 'unknown',
  class: 'OutcomeUnknown',
  says: [says, PERHAPS],
  charges,
});
const healed = (what: string, rule: Omit<Rule, 'match'>, attempts = 1): Case => ({
  what,
  faults: [{ times: 1, ...rule }],
  outcome: 'succeeded',
  charges: 1,
  attempts,
});

const CASES: readonly Case[] = [
  ...([400, 403, 404, 409, 413, 422] as const).map((status) =>
    rejected(`a ${String(status)}`, { kind: 'status', status }, new RegExp(String(status))),
  ),
  rejected(
    "a 400 in the API's words",
    { kind: 'status', status: 400, message: 'No such voice' },
    /No such voice.*req_/,
  ),
  rejected('a 404 page of the web site', { kind: 'status', status: 404, body: 'foreign' }, /404/),
  rejected('a 200 whose body is an error', 'soft-error', /200.*error.*The provider refused/),
  unknown('a 500', { kind: 'status', status: 500 }, /500/, 0),
  unknown('a 500 after the charge', 'accept-then-500', /500/, 1),
  unknown('a 502 of a gateway', { kind: 'status', status: 502, body: 'foreign' }, /502/, 0),
  unknown('a 503 of a gateway', { kind: 'status', status: 503, body: 'foreign' }, /503/, 0),
  unknown('an empty 504', { kind: 'status', status: 504, body: 'empty' }, /504/, 0),
  unknown('a web page instead of an answer', 'html', /200/, 0),
  unknown('a connection lost before the charge', 'reset-before', /no answer/, 0),
  unknown('a connection lost after the charge', 'reset-after', /no answer/, 1),
  unknown('half an answer', 'cut', /202|200|not whole|broke/, 1),
  unknown('an answer that is too short', 'wrong-length', /202|200|not whole|broke/, 1),
  { ...unknown('a transcription cut off', 'cut', /not whole|broke/, 1), kind: 'stt' },
  {
    what: 'a job that fails',
    faults: [{ on: 'create', fault: { kind: 'job-fails', message: 'The voice went hoarse' } }],
    outcome: 'failed',
    class: 'JobFailed',
    says: [/job .* failed: .*The voice went hoarse/, PERHAPS],
    charges: 1,
  },
  {
    what: 'a job that never ends',
    faults: [{ on: 'create', fault: 'job-stuck' }],
    outcome: 'overdue',
    class: 'Overdue',
    says: [/Job .* is still ".+" after \d+(\.\d)? min/, PERHAPS],
    charges: 1,
  },
  {
    what: 'a result that is a web page, however often it is asked for',
    faults: [{ on: 'download', fault: 'html' }],
    outcome: 'failed',
    class: 'ResultGone',
    says: [/the result from .*not with the file/, /job .* was accepted/, PERHAPS],
    charges: 1,
  },
  {
    what: 'a result that is silent',
    faults: [{ on: 'download', fault: { kind: 'wrong-type', body: 'silence' } }],
    outcome: 'unfit',
    class: 'Unfit',
    says: [/The result of its speech is silent/, /was paid for and is kept/],
    charges: 1,
    attempts: 1,
  },
  {
    what: 'a dub whose speech fails',
    kind: 'dub',
    faults: [{ on: 'create', operation: 'speech-job', fault: { kind: 'status', status: 422 } }],
    outcome: 'failed',
    class: 'BadRequest',
    says: [/422/, FREE],
    charges: 0,
  },
  {
    what: 'a lip-sync whose answer is lost, and which the list shows',
    kind: 'lip-sync',
    faults: [{ on: 'create', fault: 'reset-after' }],
    outcome: 'succeeded',
    charges: 1,
  },
  healed('a 429', { on: 'create', fault: { kind: 'status', status: 429, retryAfter: 1 } }, 2),
  healed("the API's own 503", { on: 'create', fault: { kind: 'status', status: 503 } }, 2),
  healed('a late answer', { on: 'create', fault: { kind: 'late', ms: 500 } }),
  healed('a status that nobody documented', { on: 'create', fault: 'unknown-status' }),
  ...(['html', 'soft-error', 'reset-before', 'cut', 'wrong-length', 'dead-link', 'unknown-status'] as const).map(
    (fault) => healed(`a look that meets ${fault}`, { on: 'read', fault }),
  ),
  ...([404, 429, 500, 503] as const).map((status) =>
    healed(`a look that meets a ${String(status)}`, { on: 'read', fault: { kind: 'status', status } }),
  ),
  ...(['html', 'reset-before', 'cut', 'wrong-length', 'dead-link'] as const).map((fault) =>
    healed(`a download that meets ${fault}`, { on: 'download', fault }),
  ),
  ...(['html', 'json', 'other-media'] as const).map((body) =>
    healed(`a download that is ${body}`, { on: 'download', fault: { kind: 'wrong-type', body } }),
  ),
  ...([403, 404, 500] as const).map((status) =>
    healed(`a download that meets a ${String(status)}`, { on: 'download', fault: { kind: 'status', status } }),
  ),
];

const idOf = (at: number): string => `case-${String(at).padStart(2, '0')}`;
/** Found in the subject of every request for the row. */
const markOf = (at: number): string => `mark${String(at).padStart(2, '0')}x`;

function manifest(): string {
  const lines = CASES.map(({ kind = 'tts' }, at) => {
    const [text, audio] = [`Text ${markOf(at)} to speak.`, `https://media.example/${markOf(at)}.mp3?seconds=2`];
    const video = `https://media.example/${markOf(at)}.mp4`;
    const cells = {
      tts: [text, 'narrator', '', ''],
      stt: ['', '', audio, ''],
      'lip-sync': ['', '', audio, video],
      dub: [text, 'narrator', '', video],
    };
    return [idOf(at), kind, ...cells[kind]].join(',');
  });
  return ['id,kind,text,voice,audio,video', ...lines, ''].join('\n');
}

const plan: FaultPlan = {
  echoInputs: true,
  rules: CASES.flatMap(({ faults }, at) => faults.map((rule) => ({ ...rule, match: { text: markOf(at) } }))),
};

/** Every create of a paid job is answered so. */
const always = (status: number): FaultPlan => ({ rules: [{ on: 'create', fault: { kind: 'status', status } }] });

let world: LiveWorld;

describe('every fault, from the wire to the row', () => {
  let ended: Ended;
  let rows: Map<string, Record<string, unknown>>;
  /** A service that stays down. The attempts of its row take half a minute, so they are made meanwhile. */
  let down: LiveWorld;
  let downEnd: Promise<Ended>;
  beforeAll(async () => {
    down = await LiveWorld.open({ plan: always(503) });
    await down.write('down.csv', 'id,text,voice\nonly,Hello there.,narrator\n');
    downEnd = down.run(['run', 'down.csv']);
    // Long enough for the jobs that end, on a busy machine, too; the service that stays down takes longer.
    const config = { polling: { firstLookMs: 100, gapMs: 200, jobDeadlineMinutes: 0.5 } };
    world = await LiveWorld.open({ server: true, seed: 4, plan, createMs: [5, 20], jobMs: [50, 200], config });
    await world.write('faults.csv', manifest());
    ended = await world.run(['run', 'faults.csv']);
    rows = await world.results('faults');
  });

  it.each(CASES.map((one, at) => [one.what, one, at] as const))('%s', (_, one, at) => {
    const row = rows.get(idOf(at)) ?? {};
    const charged = world.simulator
      .ledger()
      .filter(({ text, audioUrl }) => `${text ?? ''} ${audioUrl ?? ''}`.includes(markOf(at)));
    expect({ ...row, charges: charged.length }).toMatchObject({
      _outcome: one.outcome,
      _error_class: one.class ?? '',
      charges: one.charges,
    });
    // More where a refusal of another row made everybody pause between the record of a request and its moment.
    expect(row['_attempts']).toBeGreaterThanOrEqual(one.attempts ?? 0);
    for (const words of one.says ?? [/^$/]) expect(row['_message']).toMatch(words);
    // What is sure to have cost nothing is billed with nothing; what may have cost something says so.
    if (one.outcome === 'unknown') expect(row).toMatchObject({ _credits: 0, _credits_kind: 'uncertain' });
    else if (one.charges === 0) expect(row).toMatchObject({ _credits: 0, _credits_kind: 'none' });
    else expect(Number(row['_credits'])).toBeGreaterThan(0);
    expect(row['_file'] === '').toBe(one.outcome !== 'succeeded' && one.outcome !== 'unfit');
    if (['Overdue', 'ResultGone', 'JobFailed', 'Unfit'].includes(one.class ?? '')) {
      expect(row['_job_ids']).toHaveLength(1);
    }
  });

  it('a service that stays down ends a row after a few attempts, free of charge', async () => {
    expect(await downEnd).toMatchObject({ code: 10 });
    const row = (await down.results('down')).get('only');
    expect(row).toMatchObject({ _outcome: 'failed', _error_class: 'ServiceDown', _credits: 0 });
    const { endpoints } = await down.statistics();
    expect(endpoints['POST /speech/tts/jobs']).toEqual({ 503: 8 });
    expect(row?.['_message']).toMatch(/503.*Gave up after 8 such answers; nothing was charged/);
    expect(down.simulator.ledger()).toEqual([]);
  });

  it('ends with 13, and says how many rows are in doubt', () => {
    const doubtful = CASES.filter(({ outcome }) => outcome === 'unknown').length;
    expect(ended.code).toBe(13);
    expect(ended.stderr).toMatch(new RegExp(`${String(doubtful)} +unknown +may have been charged; not sent again`));
  });

  it.each(['unknown', 'overdue', 'failed', 'unfit'])('%s rows are in a file of their own', async (outcome) => {
    const lines = (await world.read('out', 'faults', `${outcome}.csv`)).trim().split('\n').slice(1);
    const ids = CASES.flatMap((one, at) => (one.outcome === outcome ? [idOf(at)] : []));
    expect(lines.map((line) => line.split(',')[0])).toEqual(ids);
  });

  it('a silent result lies apart, and a person takes it as it is: nothing is sent or downloaded again', async () => {
    const at = CASES.findIndex(({ class: name }) => name === 'Unfit');
    expect(rows.get(idOf(at))?.['_file']).toBe(`media/unfit/${idOf(at)}.wav`);
    const before = await world.statistics();
    expect(await world.run(['redrive', 'faults', '--accept', idOf(at)])).toMatchObject({ code: 13 });
    rows = await world.results('faults');
    const file = `media/${idOf(at)}.wav`;
    expect(rows.get(idOf(at))).toMatchObject({ _outcome: 'succeeded', _file: file, _error_class: '' });
    expect(await world.statistics()).toEqual(before);
  });

  it('sends nothing again for any of them when it is run again', async () => {
    const before = (await world.statistics()).paidRequests;
    const again = await world.run(['run', 'faults.csv']);
    expect(again.code).toBe(13);
    expect((await world.statistics()).paidRequests).toBe(before);
    expect(await world.results('faults')).toEqual(rows);
    expect(await world.run(['verify', 'out/faults'])).toMatchObject({ code: 0 });
  });
});

it('a fault that stops a batch ends it with its code, charges nothing, and is held against no row', async () => {
  world = await LiveWorld.open({
    server: true,
    ...{ seed: 4, createMs: [5, 20], jobMs: [50, 200] },
    rows: 6,
    kinds: ['tts'],
  });
  for (const [status, code, says] of [
    [401, 5, /paused: the API refused the token .*401.*Set VOXBATCH_API_TOKEN, then run/],
    [402, 12, /paused: out of credits .*402.*Top up the account, then/],
  ] as const) {
    await world.changePlan(always(status));
    const stopped = await world.run(['run', 'lines.csv']);
    expect(stopped).toMatchObject({ code });
    expect(stopped.stderr).toMatch(says);
    expect(world.simulator.ledger()).toEqual([]);
  }
  await world.changePlan({});
  expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
  expect(world.charges().size).toBe(6);
});

it('the classes of failures are all seen at work here, but two that end a row after hours, and what no answer of an API brings about', () => {
  // `OverBudget`: budget.test.ts.
  const seen = new Set([...CASES.map((one) => one.class), 'BadToken', 'OutOfCredits', 'OverBudget', 'ServiceDown']);
  expect(Object.keys(FAILURES).filter((name) => !seen.has(name as FailureClass))).toEqual([
    'NotSent',
    'RateLimited',
    'InternalError',
    'NotJoined',
    'NotChosen',
    'NotCached',
    'NoVoice',
  ]);
});
