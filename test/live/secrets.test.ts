/** @slow */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FaultPlan } from '../../simulator/start-simulator.ts';
import { joinServer } from '../../embedded/join-server.ts';
import { findIn, findInFolder, formsOf, gather, readEverything, wordsOf } from '../support/find-secret.ts';
import { LiveWorld, type Ended } from '../support/live-world.ts';
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

/** Every fault that there is, each once; the first that has not acted yet acts on the next request. */
const EVERY_FAULT: FaultPlan = {
  rules: [
    { on: 'profile', fault: { kind: 'status', status: 500, message: ECHO }, times: 1 },
    ...(['own', 'foreign', 'empty'] as const).flatMap((body) =>
      STATUSES.map((status) => ({
        on: 'create' as const,
        fault: { kind: 'status' as const, status, body, message: ECHO },
        times: 1,
      })),
    ),
    {
      on: 'create',
      operation: 'speech-job',
      fault: { kind: 'status', status: 400, message: `Bad text: "${TEXT}"` },
      times: 1,
    },
    { on: 'create', fault: 'accept-then-500', times: 1 },
    { on: 'create', fault: { kind: 'status', status: 500, message: ECHO, accepted: true }, times: 1 },
    { on: 'create', fault: { kind: 'job-fails', message: ECHO }, times: 1 },
    { on: 'create', fault: 'soft-error', times: 1 },
    { on: 'create', fault: 'html', times: 1 },
    { on: 'create', fault: 'job-stuck', times: 1 },
    { on: 'create', fault: 'reset-before', times: 1 },
    { on: 'create', fault: 'reset-after', times: 1 },
    { on: 'create', fault: { kind: 'unknown-status', word: `Bearer ${TOKEN}` }, times: 1 },
    { on: 'create', fault: 'cut', times: 1 },
    { on: 'create', fault: 'wrong-length', times: 1 },
    { on: 'create', fault: { kind: 'job-fails', message: ECHO }, times: 1 },
    { on: 'create', fault: { kind: 'late', ms: 300 }, times: 1 },
    { on: 'create', fault: { kind: 'status', status: 402, message: ECHO }, times: 1 },
    { on: 'read', fault: { kind: 'status', status: 500, message: ECHO }, times: 2 },
    { on: 'read', fault: { kind: 'status', status: 404, message: ECHO }, times: 2 },
    { on: 'read', fault: 'soft-error', times: 1 },
    { on: 'read', fault: 'html', times: 1 },
    { on: 'read', fault: 'reset-before', times: 1 },
    { on: 'read', fault: 'cut', times: 1 },
    { on: 'read', fault: 'dead-link', times: 2 },
    { on: 'read', fault: { kind: 'unknown-status', word: TOKEN }, times: 1 },
    { on: 'download', fault: { kind: 'status', status: 403, message: ECHO }, times: 1 },
    { on: 'download', fault: { kind: 'status', status: 500, message: ECHO }, times: 1 },
    { on: 'download', fault: 'html', times: 1 },
    { on: 'download', fault: 'reset-before', times: 1 },
    { on: 'download', fault: 'cut', times: 1 },
    { on: 'download', fault: 'wrong-length', times: 1 },
    ...(['html', 'json', 'other-media'] as const).map((body) => ({
      on: 'download' as const,
      fault: { kind: 'wrong-type' as const, body },
      times: 1,
    })),
    { on: 'download', fault: 'dead-link', times: 1 },
    { on: 'list', fault: { kind: 'status', status: 500, message: ECHO }, times: 1 },
    { on: 'list', fault: 'html', times: 1 },
  ],
};

describe('the search', () => {
  it.each([...FORMS.keys()])('finds a token that is planted %s', (form) => {
    const planted = FORMS.get(form) ?? Buffer.alloc(0);
    expect(planted.length).toBeGreaterThan(20);
    expect(findIn('here', Buffer.concat([Buffer.from([0, 255]), planted, Buffer.from('x')]), FORMS)).toContain(
      `here: ${form}`,
    );
  });

  it.each([0, 1, 2])('finds it in base64 after %p bytes, whatever follows', (before) => {
    const text = Buffer.from(`${'ab'.slice(0, before)}${TOKEN} and more`).toString('base64');
    expect(findIn('here', text, FORMS)).toContain(`here: base64 after ${String(before)}`);
  });

  it('finds it in files, deep in a folder, and in their names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-search-'));
    try {
      await mkdir(join(folder, 'a', 'b'), { recursive: true });
      await writeFile(join(folder, 'a', 'b', 'x.db-wal'), `\0${TOKEN}\0`);
      await writeFile(join(folder, Buffer.from(TOKEN).toString('base64url')), '');
      const { found } = await findInFolder(folder, FORMS);
      expect(found).toEqual(expect.arrayContaining(['a/b/x.db-wal: plain', 'a file name: base64url after 0']));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('finds it in payloads and failures of a decoded history', () => {
    const pieces: Buffer[] = [];
    gather(
      { events: [{ failure: { message: 'x' }, input: { payloads: [{ data: Buffer.from(`"${TOKEN}"`) }] } }] },
      pieces,
    );
    expect(findIn('history', Buffer.concat(pieces), FORMS)).toEqual(['history: plain']);
  });
});

describe('a token, texts and links, after every fault', () => {
  const said: Ended[] = [];
  let world: LiveWorld;
  let middle: { readonly workflows: number; readonly bytes: Buffer };

  beforeAll(async () => {
    world = await LiveWorld.create({ seed: 8, token: TOKEN, plan: EVERY_FAULT, createMs: [5, 20], jobMs: [100, 300] });
    await world.write('lines.csv', mixedManifest(60).replaceAll(/Line number \d+ of this batch\./g, TEXT));
    await world.write(
      'voxbatch.config.json',
      // All rows have the same text, and each is to meet a fault of its own.
      JSON.stringify({ polling: { firstLookMs: 100, gapMs: 100, jobDeadlineMinutes: 0.1 }, cache: 'off' }),
    );
    // Seen from outside while everything is at work: activities are pending, with their heartbeats.
    const first = world.start(['run', 'lines.csv', '--submits', '4']);
    await waitFor(async () => (await world.statistics()).paidRequests >= 12);
    const membership = await joinServer({ home: world.path('.voxbatch'), env: process.env, say: () => undefined });
    middle = await readEverything(membership.address);
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
  afterAll(() => world.close());

  it('met every fault, and every command ended as it should', async () => {
    const [paused, , refused, interrupted] = said.map(({ code }) => code);
    expect({ paused, refused, interrupted }).toEqual({ paused: 12, refused: 5, interrupted: 130 });
    const { endpoints } = await world.statistics();
    const statuses = new Set(Object.values(endpoints).flatMap((counts) => Object.keys(counts)));
    for (const one of [
      '400',
      '401',
      '402',
      '403',
      '404',
      '409',
      '413',
      '422',
      '429',
      '500',
      '502',
      '503',
      '504',
      'none',
    ])
      expect(statuses).toContain(one);
    const rows = [...(await world.results('lines')).values()];
    const classes = new Set(rows.map(({ _error_class }) => _error_class));
    for (const one of ['BadRequest', 'OutcomeUnknown', 'JobFailed', 'Overdue']) expect(classes).toContain(one);
    expect(world.doubleCharges()).toEqual([]);
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
    const membership = await joinServer({ home: world.path('.voxbatch'), env: process.env, say: () => undefined });
    const end = await readEverything(membership.address).finally(() => membership.leave());
    expect(middle.workflows).toBeGreaterThan(0);
    expect(end.workflows).toBeGreaterThan(middle.workflows);
    // It does read histories: the name of a workflow and of an activity are there.
    expect(findIn('history', end.bytes, wordsOf('superviseBatch', 'surveyBatch', 'workLane'))).toHaveLength(3);
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
