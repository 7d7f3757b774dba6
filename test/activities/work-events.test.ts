import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { WorkEvent } from '../../contract/work-events.ts';
import { logEvents } from '../../worker/event-log.ts';
import { BATCH, tts, stt, lipSync } from './rows.ts';
import { createWorld } from './world.ts';

/** A text that nothing else contains. */
const TEXT = 'Rhubarb, said the heron.';

describe('the events of a batch', () => {
  it('are one of each sort, name their parents, and hold no text, token or link', async () => {
    const world = await createWorld({
      rules: [
        { on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 429 } },
        { on: 'download', fault: 'cut', times: 1 },
      ],
    });
    const audio = 'https://media.example/rhubarb.mp3?seconds=2';
    await world.fill([tts(TEXT), stt(audio), lipSync()]);
    const events: WorkEvent[] = [];
    const lines: Record<'debug' | 'info', string[]> = { debug: [], info: [] };
    const logs = (['debug', 'info'] as const).map((level) =>
      logEvents(pino({ level }, { write: (line) => lines[level].push(line) })),
    );
    const worker = await world.worker({
      ledger: () => ({ notePrice: () => Promise.reject(new Error('no room')) }),
      change: () => ({
        observe: (event) => {
          events.push(event);
          for (const log of logs) log(event);
        },
      }),
    });
    await worker.work();
    for (const row of [1, 2, 3]) expect((await world.row(row)).outcome).toBe('succeeded');

    const types = ['answer', 'commit', 'download', 'intent', 'lane', 'limiter', 'note', 'poll', 'row', 'verdict'];
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(types);
    for (const event of events) {
      expect(event.lane).toBe(1);
      if (event.type === 'lane' || event.type === 'limiter') continue;
      expect(event).toMatchObject({ batch: BATCH, row: expect.any(Number), take: 1 });
      if (event.type !== 'row') expect(event).toMatchObject({ step: expect.any(String), attempt: expect.any(Number) });
    }
    const ofRows = events.filter((event) => event.type === 'row').toSorted((a, b) => a.row - b.row);
    expect(ofRows).toMatchObject([1, 2, 3].map((row) => ({ row, id: `r${String(row)}`, outcome: 'succeeded' })));
    const ofLipSync = events.filter((event) => 'attempt' in event && event.row === 3 && event.attempt === 1);
    const way = ['intent', 'answer', 'verdict', 'commit', 'poll', 'download', 'commit'];
    expect(ofLipSync.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual(
      expect.arrayContaining(way),
    );
    expect(lines.debug).toHaveLength(events.length);
    const ofLanes = lines.info.filter((line) => line.includes('"event":"lane"'));
    expect(ofLanes[0]).toMatch(/"level":30,.*"is":"taken".*lane: taken/);
    expect(ofLanes.at(-1)).toMatch(/"level":30,.*"is":"idle","rows":[1-9]\d*,/);
    const parsed = (of: readonly string[]) => of.map((line) => JSON.parse(line) as Record<string, unknown>);
    const atLevel = (level: number) => [
      ...new Set(parsed(lines.info).flatMap((line) => (line['level'] === level ? line['event'] : []))),
    ];
    expect(atLevel(40).sort()).toEqual(['limiter', 'price-unrecorded']);
    expect(atLevel(30).sort()).toEqual(['download', 'lane', 'verdict']);
    expect(lines.info.length).toBeLessThan(events.length / 2);
    const members = new Set(parsed(lines.debug).flatMap((line) => Object.keys(line)));
    expect(members).toContain('request_id');
    for (const name of members) expect(name).toMatch(/^[a-z_]+$/);
    const secrets = [TEXT.slice(0, 7), audio.slice(8), world.simulator.token, 'http'];
    for (const secret of secrets) expect(lines.debug.join('').toLowerCase()).not.toContain(secret.toLowerCase());
  });

  it('hold no words of the API, which may repeat the text of a row', async () => {
    const message = `bad word in: 7 ${TEXT}`;
    const world = await createWorld({
      rules: [
        { on: 'create', match: { nth: 1 }, fault: { kind: 'job-fails', message } },
        { on: 'create', match: { nth: 2 }, fault: { kind: 'status', status: 422, message } },
      ],
    });
    await world.fill([tts(TEXT), tts(TEXT)]);
    const events: WorkEvent[] = [];
    const worker = await world.worker({ change: () => ({ observe: (event) => events.push(event) }) });
    await worker.work();
    const ended = events.filter((event) => event.type === 'row').toSorted((a, b) => a.row - b.row);
    expect(ended).toMatchObject([{ failure: 'JobFailed' }, { failure: 'BadRequest', status: 422 }]);
    for (const word of ['heron', 'bad word']) expect(JSON.stringify(events)).not.toContain(word);
  });
});
