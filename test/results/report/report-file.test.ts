import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { REPORT_FILE, type ReportChoice } from '../../../contract/report.ts';
import { writeOutFolder } from '../../../results/write-out-folder.ts';
import type { ReportContext } from '../../../results/report/report-facts.ts';
import { ReportFile } from '../../../results/report/report-file.ts';
import { verifyOut } from '../../../results/verification/verify.ts';
import { freshPlace } from '../../support/place.ts';
import { OutFiles } from '../out-files.ts';
import { addBatch, addSampleBatch, finish, intend, keyOf, refuse } from '../sample-batch.ts';
import { unpackReport } from './unpack-report.ts';

const place = freshPlace();
const out = new OutFiles(place);
const STORY: ReportContext = { standing: 'finished', notes: ['Do that.'], actions: [] };

async function project(choice: ReportChoice, complete = true) {
  const report = { choice, context: () => Promise.resolve(STORY) };
  return writeOutFolder(place.request({ complete, report }));
}

describe('report.html', () => {
  it('tells the whole story of a batch in one file that loads nothing, the same however often it is written', async () => {
    await addSampleBatch(place);
    expect((await project('full')).report).toBe(out.pathOf(REPORT_FILE));
    const { html, head, blocks } = await unpackReport(out.pathOf(REPORT_FILE));
    const [style = '', script = ''] = [/<style>(.*)<\/style>/s, /<script>(.*)<\/script>/s].map(
      (one) => one.exec(html)?.[1],
    );
    const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(html).toContain(
      `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; media-src 'self' file:`,
    );
    // In a file, no address would be one of the same place.
    expect(html.replaceAll(/<(script|style)>.*?<\/\1>/gs, '')).not.toMatch(/https?:|src=|href=/);
    expect(head).toMatchObject({
      batch: 'demo',
      rows: 7,
      done: 3,
      notes: ['Do that.'],
      asOf: null,
      ...{ state: 'closed', control: null },
      listed: { rows: 7, every: 1 },
    });
    expect(head.outcomes).toMatchObject({ succeeded: 3, failed: 1, unknown: 1, overdue: 1, cancelled: 1 });
    expect(head.failures).toContainEqual({
      ...{ standing: 'failed', class: 'BadRequest', cause: '', rows: 1 },
      examples: [{ id: 'd', message: '-voice is not known (request req-4)' }],
    });
    expect(head.bill.map(({ step, requests, quoted, charged }) => [step, requests, quoted, charged])).toEqual([
      ['speech', 2, 20, 4.6],
      ['transcription', 1, 10, 10],
      ['lip-sync', 2, 20, 10.2],
    ]);
    expect(head.requests).toEqual({ sent: 8, repeated: 2 });
    expect(head.lengths).toMatchObject({ values: 1, most: 1.25 });
    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toMatchObject({
      id: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      standing: ['succeeded', 'succeeded', 'succeeded', 'failed', 'unknown', 'overdue', 'cancelled'],
      media: ['audio', 'text', 'video', null, null, null, null],
      charged: [4.5, 10, 0.3, 0, 0, 10, 0],
      takeInUse: [1, 1, 1, 1, 1, 1, 1],
    });
    await project('full');
    expect(await out.read(REPORT_FILE)).toBe(html);
    // What is to be done next may change without the results, so no summary vouches for it.
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('leaves out rows with a result if it is to be short, and is gone if none is wanted', async () => {
    await addSampleBatch(place);
    await project('short');
    const { head, blocks } = await unpackReport(out.pathOf(REPORT_FILE));
    expect(blocks.flatMap(({ id }) => id)).toEqual(['d', 'e', 'f', 'g']);
    expect(head).toMatchObject({ rows: 7, done: 3, listed: { rows: 4, choice: 'short' } });
    // Who writes files without a word of it leaves it alone.
    await writeOutFolder(place.request({ complete: true }));
    expect(await out.names()).toContain(REPORT_FILE);
    expect((await project('none')).report).toBeNull();
    expect(await out.names()).not.toContain(REPORT_FILE);
  });

  it('stays if a person asked for it, also where none is wanted of a run, and is replaced by one that is', async () => {
    await addSampleBatch(place);
    await project('none');
    const options = { choice: 'full', hasTexts: true, folder: '', voxbatchVersion: '1.0.0', by: 'person' } as const;
    const report = await ReportFile.create(out.pathOf(REPORT_FILE), await place.batch(), options);
    await report.seal({ standing: 'finished', notes: [], actions: [] }, await place.ledger.money('demo'));
    expect(await report.publish()).toBeUndefined();
    await project('none');
    expect(await out.names()).toContain(REPORT_FILE);
    expect((await project('full')).kept.tables).toEqual([]);
    await project('none');
    expect(await out.names()).not.toContain(REPORT_FILE);
  });

  it('keeps what a person has under its name', async () => {
    await addSampleBatch(place);
    await writeFile(out.pathOf(REPORT_FILE), 'of a person').catch(async () => {
      await writeOutFolder(place.request({ complete: true }));
      await writeFile(out.pathOf(REPORT_FILE), 'of a person');
    });
    await project('none');
    expect(await out.read(REPORT_FILE)).toBe('of a person');
    const { kept } = await project('full');
    expect(kept.tables).toEqual([{ name: REPORT_FILE, keptAs: 'report.edited.html' }]);
    expect(await out.read('report.edited.html')).toBe('of a person');
    expect((await project('full')).kept.tables).toEqual([]);
  });

  it('says of a batch that goes on how far it knows it', async () => {
    await addBatch(place, ['id', 'text'], [{ id: 'a', kind: 'tts', input: ['a', 'one'] }]);
    await intend(place, keyOf(1));
    await project('full', false);
    const { head, blocks } = await unpackReport(out.pathOf(REPORT_FILE));
    expect(head).toMatchObject({
      state: 'open',
      control: 'running',
      endedAt: null,
      ends: null,
      lengths: null,
      credits: { reserved: 10 },
    });
    expect(Date.parse(head.asOf ?? '')).toBeGreaterThan(Date.parse(head.createdAt) - 1);
    expect(blocks[0]).toMatchObject({ standing: ['submitting'], ended: [null] });
  });

  it('has whatever a row has as data, never as HTML, and neither machine paths nor secrets of links', async () => {
    const evil = '</template></script><script>alert(1)</script><img src=x onerror=alert(1)>';
    const link = 'https://user:pw@cdn.example/a.wav?X-Signature=secret#frag';
    await addBatch(
      place,
      ['id', 'text', 'audio'],
      [
        { id: `"'>${evil}`, kind: 'tts', input: ['a', evil, ''], spec: { text: evil, voice: evil } },
        { id: 'b', kind: 'stt', input: ['b', '', link], spec: { audio: link } },
      ],
    );
    const failure = {
      class: 'BadRequest',
      message: `${evil} at ${link} in ${process.cwd()}/x and /home/ann/y.wav`,
    } as const;
    await refuse(place, keyOf(1), failure);
    await finish(place, keyOf(2, 'transcription'), await place.store.put('demo/2.txt', 'x'));
    await project('full', false);
    const { html, blocks, text } = await unpackReport(out.pathOf(REPORT_FILE));
    expect(html.replaceAll(/<(script|style)>.*?<\/\1>/gs, '')).not.toMatch(/alert|onerror|<img/);
    expect(blocks[0]?.text).toEqual([evil, 'https://cdn.example/a.wav']);
    expect(blocks[0]?.message[0]).toBe(`${evil} at https://cdn.example/a.wav in x and y.wav`);
    for (const secret of ['X-Signature', 'pw@', '/home/ann', process.cwd()]) expect(text).not.toContain(secret);
  });
});
