/** @slow */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FaultPlan, SimulatorOptions } from '../../simulator/start-simulator.ts';
import { findIn, findInFolder, formsOf, gather, readEverything, wordsOf } from '../support/find-secret.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import type { Ended } from '../support/live-command.ts';
import { LiveWorld } from '../support/live-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';
import { waitFor } from '../support/wait-for.ts';

/** Its forms differ from each other: it has what URLs, JSON and base64 write in other ways. */
const TOKEN = 'v0x/B4tch+t0ken?="of\\us"&%41~|<e>';
const FORMS = formsOf(TOKEN);
/** What users write, and links that whoever has them may open. */
const TEXT = 'A line that nobody else may read.';
const LINK = 'https://media.example/voice-7.mp3?signature=abc';
const PRIVATE = wordsOf(TEXT.slice(0, 20), 'voice-', 'face-', 'signature=');

const BASE64 = Buffer.from(TOKEN).toString('base64');
const ECHO =
  `Refused: Authorization: Bearer ${TOKEN}, ${encodeURIComponent(TOKEN)}, ${BASE64}, ` +
  `Basic ${Buffer.from(`api:${TOKEN}`).toString('base64')} for ${LINK}`;

/** Refusals and troubles. After many troubles in a row all requests pause, for long; so refusals, which end that, come in between. */
const STATUSES = [400, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504] as const;

type Rule = NonNullable<FaultPlan['rules']>[number];
const echoed = (status: number, body: 'own' | 'foreign' | 'empty' = 'own'): Rule['fault'] => ({
  kind: 'status',
  status,
  body,
  message: ECHO,
});

/** Every fault that there is, each as often as it is named; the first that has not acted yet acts on the next request. */
const FAULTS: Readonly<Record<'profile' | 'create' | 'read' | 'download' | 'list', readonly Rule['fault'][]>> = {
  profile: [echoed(500)],
  create: [
    ...(['own', 'foreign', 'empty'] as const).flatMap((body) => STATUSES.map((status) => echoed(status, body))),
    ...(['accept-then-500', { kind: 'status', status: 500, message: ECHO, accepted: true }] as const),
    ...([
      { kind: 'job-fails', message: ECHO },
      'soft-error',
      'html',
      'job-stuck',
      'reset-before',
      'reset-after',
    ] as const),
    ...([{ kind: 'unknown-status', word: `Bearer ${TOKEN}` }, 'cut', 'wrong-length'] as const),
    ...([{ kind: 'job-fails', message: ECHO }, { kind: 'late', ms: 300 }, echoed(402)] as const),
  ],
  read: [
    ...([echoed(500), echoed(500), echoed(404), echoed(404), 'soft-error', 'html', 'reset-before', 'cut'] as const),
    ...(['dead-link', 'dead-link', { kind: 'unknown-status', word: TOKEN }] as const),
  ],
  download: [
    ...([echoed(403), echoed(500), 'html', 'reset-before', 'cut', 'wrong-length'] as const),
    ...(['html', 'json', 'other-media'] as const).map((body) => ({ kind: 'wrong-type', body }) as const),
    'dead-link',
  ],
  list: [echoed(500), 'html'],
};
const EVERY_FAULT: FaultPlan = {
  rules: [
    {
      ...{ on: 'create', operation: 'speech-job', times: 1 },
      fault: { kind: 'status', status: 400, message: `Bad text: "${TEXT}"` },
    },
    ...Object.entries(FAULTS).flatMap(([on, faults]) =>
      faults.map((fault) => ({ on: on as Rule['on'], fault, times: 1 })),
    ),
  ],
};

it('the search finds a token in every form, in files and their names, and in what a decoded history holds', async () => {
  for (const [form, planted] of FORMS) {
    expect(planted.length).toBeGreaterThan(20);
    const bytes = Buffer.concat([Buffer.from([0, 255]), planted, Buffer.from('x')]);
    expect(findIn('here', bytes, FORMS)).toContain(`here: ${form}`);
  }
  for (const before of [0, 1, 2]) {
    const text = Buffer.from(`${'ab'.slice(0, before)}${TOKEN} and more`).toString('base64');
    expect(findIn('here', text, FORMS)).toContain(`here: base64 after ${String(before)}`);
  }
  const folder = freshFolder();
  await mkdir(join(folder, 'a', 'b'), { recursive: true });
  await writeFile(join(folder, 'a', 'b', 'x.db-wal'), `\0${TOKEN}\0`);
  await writeFile(join(folder, Buffer.from(TOKEN).toString('base64url')), '');
  const { found } = await findInFolder(folder, FORMS);
  expect(found).toEqual(expect.arrayContaining(['a/b/x.db-wal: plain', 'a file name: base64url after 0']));
  const pieces: Buffer[] = [];
  const payload = { payloads: [{ data: Buffer.from(`"${TOKEN}"`) }] };
  gather({ events: [{ failure: { message: 'x' }, input: payload }] }, pieces);
  expect(findIn('history', Buffer.concat(pieces), FORMS)).toEqual(['history: plain']);
});

describe('a token, texts and links, after every fault', () => {
  const said: Ended[] = [];
  let world: LiveWorld;
  let middle: { readonly workflows: number; readonly bytes: Buffer };

  beforeAll(async () => {
    // All rows have the same text, and each is to meet a fault of its own.
    const config = { polling: { firstLookMs: 100, gapMs: 100, jobDeadlineMinutes: 0.1 }, cache: 'off' };
    const quick = { createMs: [5, 20], jobMs: [100, 300] } satisfies SimulatorOptions;
    world = await LiveWorld.open({ seed: 8, token: TOKEN, plan: EVERY_FAULT, ...quick, config });
    await world.write('lines.csv', mixedManifest(60).replaceAll(/Line number \d+ of this batch\./g, TEXT));
    // Seen from outside while everything is at work: activities are pending, with their heartbeats.
    const first = world.start(['run', 'lines.csv', '--submits', '4']);
    await waitFor(async () => (await world.statistics()).paidRequests >= 12);
    const membership = await world.join();
    middle = await readEverything(membership);
    await membership.leave();
    // Out of credits pauses the batch; run again, it goes on.
    said.push(await first.ended, await world.run(['run', 'lines.csv', '--json']));
    // A token that is refused in mid-batch, and an answer that never comes to a command that is ended at once.
    await world.write('more.csv', mixedManifest(8, ['tts']));
    await world.changePlan({ rules: [{ on: 'create', fault: { kind: 'status', status: 401, message: ECHO } }] });
    said.push(await world.run(['run', 'more.csv']));
    await world.changePlan({ rules: [{ on: 'create', fault: 'hang' }] });
    const before = (await world.statistics()).paidRequests;
    const hanging = world.start(['run', 'more.csv']);
    await waitFor(async () => (await world.statistics()).paidRequests > before);
    hanging.child.kill('SIGINT');
    await hanging.said('Finishing the requests in flight');
    hanging.child.kill('SIGINT');
    said.push(await hanging.ended);
    await world.changePlan({});
    said.push(await world.run(['run', 'more.csv']));
    for (const command of ['status', 'explain', 'list', 'results', 'doctor', 'profile', 'verify']) {
      const words = { explain: ['explain', '1'], verify: ['verify', 'out/lines'] }[command] ?? [command];
      said.push(await world.run(words));
    }
  });

  it('met every fault, and every command ended as it should', async () => {
    const [paused, , refused, interrupted] = said.map(({ code }) => code);
    expect({ paused, refused, interrupted }).toEqual({ paused: 12, refused: 5, interrupted: 130 });
    const { endpoints } = await world.statistics();
    const statuses = new Set(Object.values(endpoints).flatMap((counts) => Object.keys(counts)));
    expect([...STATUSES, 401, 402, 'none'].filter((one) => !statuses.has(String(one)))).toEqual([]);
    const rows = [...(await world.results('lines')).values()];
    const classes = new Set(rows.map(({ _error_class }) => _error_class));
    for (const one of ['BadRequest', 'OutcomeUnknown', 'JobFailed', 'Overdue']) expect(classes).toContain(one);
  });

  it('the token is in no file', async () => {
    const { found, files } = await findInFolder(world.folder, FORMS);
    expect(found).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        ...['.voxbatch/ledger.db', '.voxbatch/temporal.db', '.voxbatch/logs/worker.log', '.voxbatch/logs/temporal.log'],
        ...['out/lines/results.csv', 'out/lines/receipts.jsonl', 'out/lines/summary.json', 'out/lines/unknown.csv'],
      ]),
    );
  });

  it('the token was never said', () => {
    expect(
      said.flatMap(({ stdout, stderr }) => [...findIn('stdout', stdout, FORMS), ...findIn('stderr', stderr, FORMS)]),
    ).toEqual([]);
  });

  it('the token went to no other host', async () => {
    expect((await world.statistics()).foreignAuthorizations).toBe(0);
  });

  it('histories, heartbeats and failures hold neither token, texts nor links', async () => {
    const membership = await world.join();
    const end = await readEverything(membership).finally(() => membership.leave());
    expect(middle.workflows).toBeGreaterThan(0);
    expect(end.workflows).toBeGreaterThan(middle.workflows);
    // It does read histories: the name of a workflow and of an activity are there, search attributes and summaries.
    expect(
      findIn(
        'history',
        end.bytes,
        wordsOf('superviseBatch', 'surveyBatch', 'workLane', 'VoxbatchUnknown', 'lane 1 of '),
      ),
    ).toHaveLength(5);
    for (const { bytes } of [middle, end]) {
      expect(findIn('history', bytes, FORMS)).toEqual([]);
      expect(findIn('history', bytes, PRIVATE)).toEqual([]);
    }
    for (const name of ['temporal.db', 'temporal.db-wal', 'logs/temporal.log', 'logs/worker.log', 'server.json']) {
      const bytes = await readFile(world.path('.voxbatch', name)).catch(() => Buffer.alloc(0));
      expect(findIn(name, bytes, PRIVATE)).toEqual([]);
    }
  });

  it('links that open a result are in no file, and texts are in no message', async () => {
    expect((await findInFolder(world.folder, wordsOf('signature='))).found).toEqual([]);
    for (const { _message } of (await world.results('lines')).values()) {
      expect(findIn('message', String(_message), PRIVATE)).toEqual([]);
    }
  });
});
