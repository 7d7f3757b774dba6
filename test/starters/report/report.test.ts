import { ANN } from '../../support/ann.ts';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { unpackReport } from '../../results/report/unpack-report.ts';
import { addBatch, addSampleBatch, finish, keyOf, refuse } from '../../results/sample-batch.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

it('a report says what to do next in the words of status, and is among the files that results writes', async () => {
  await addSampleBatch(place);
  await expectRun('report', 0, { out: 'out/demo/report.html\n', err: '' });
  const { head } = await unpackReport('out/demo/report.html');
  expect(head.notes.join('\n')).toContain('Fix it in out/demo/failed.csv, then: voxbatch run out/demo/failed.csv');
  expect(head.notes.join('\n')).not.toContain('voxbatch results');
  await expectRun('results', 13, { out: 'report: out/demo/report.html' });
  // The same from the files' way as from the command's.
  expect((await unpackReport('out/demo/report.html')).head).toEqual(head);
  await expectRun('results --report none', 13, { not: 'report.html' });
  expect(await readdir('out/demo')).not.toContain('report.html');
  expect(await json('results')).toMatchObject({ value: { report: expect.stringMatching(/out\/demo\/report\.html$/) } });
  await writeFile('voxbatch.config.json', '{ "report": "short" }');
  await expectRun('report demo', 0);
  expect((await unpackReport('out/demo/report.html')).head.listed).toMatchObject({ choice: 'short', rows: 4 });
  await writeFile('voxbatch.config.json', '{ "report": "long" }');
  await expectRun('results', 2, 'report: expected one of none, short, full');
});

it('a report to share has no texts, no messages, no files and nobody by name; it replaces no report and no other file', async () => {
  const spec = { text: 'a secret text', voice: 'ada' };
  const row = { kind: 'tts', spec } as const;
  await addBatch(
    place,
    ['id', 'text', 'voice'],
    [
      { ...row, id: 'a', input: ['a', 'a secret text', 'name:Ada'] },
      { ...row, id: 'b', input: ['b', 'a secret text'] },
    ],
  );
  await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.mp3', 'sound'), 3);
  await refuse(place, keyOf(2), {
    class: 'BadRequest',
    message: 'cannot say "a secret text"',
    cause: 'bad word in: a secret text',
    status: 400,
  });
  const by = { ...ANN, reason: 'the secret row failed' };
  await place.ledger.setControl('demo', 'paused', undefined, by);
  await place.ledger.closeBatch('demo');
  await expectRun('report', 0);
  const whole = await readFile('out/demo/report.html', 'utf8');
  // The page names voices in the same way.
  expect((await unpackReport('out/demo/report.html')).head).toMatchObject({ voiceNames: { ada: 'Ada' } });
  await expectRun('report demo --no-text', 0, { out: 'out/demo/report-no-text.html\n' });
  const { head, text, html } = await unpackReport('out/demo/report-no-text.html');
  expect(text).not.toMatch(/secret|\.mp3/);
  expect(html).not.toContain('secret');
  expect(head).toMatchObject({
    ...{ account: null, api: null, voiceNames: {} },
    longestText: null,
    folder: null,
    notes: [],
    actions: [{ kind: 'start' }, { kind: 'pause', who: null, reason: null }],
    failures: [{ cause: '400', examples: [{ id: 'b', message: '' }] }],
  });
  expect(await readFile('out/demo/report.html', 'utf8')).toBe(whole);
  // Elsewhere it finds the files of the out folder; a folder gets it under its name.
  await mkdir('shared');
  await expectRun('report demo --out shared', 0, { out: 'shared/report.html\n' });
  expect((await unpackReport('shared/report.html')).head.folder).toBe('../out/demo/');
  await writeFile('mine.html', 'of a person');
  await expectRun('report demo --out mine.html', 0, {
    err: 'mine.html was no report of voxbatch: it is kept as mine.edited.html.',
  });
  expect(await readFile('mine.edited.html', 'utf8')).toBe('of a person');
  await expectRun('report demo --out mine.html/x.html', 2, 'Nothing was written.');
  // Of another batch.
  const part = 'shared/.voxbatch-00000000-0000-4000-8000-000000000000.part';
  await writeFile(part, 'a text');
  await utimes(part, 0, 0);
  const summary = JSON.parse(await readFile('out/demo/.voxbatch-batch.json', 'utf8')) as object;
  await writeFile('shared/summary.json', JSON.stringify({ ...summary, batch: 'b' }));
  const before = await readFile('shared/report.html', 'utf8');
  await expectRun('report demo --out shared', 2, { out: '', err: ['holds the results of batch "b"'] });
  expect(await readFile('shared/report.html', 'utf8')).toBe(before);
  await expectRun('report demo --out shared/of-demo.html', 0);
  expect((await readdir('shared')).sort()).toEqual(['of-demo.html', 'report.html', 'summary.json']);
});

it('what is no file under the name of a report is a warning, and under that of a table a refusal before anything is written', async () => {
  await addSampleBatch(place);
  await mkdir('out/demo', { recursive: true });
  for (const make of ['mkdir', 'mkfifo']) {
    execFileSync(make, ['out/demo/report.html']);
    const words = `out/demo/report.html is no file, so nothing can be written in its place`;
    await expectRun('results', 13, { out: ['results: out/demo/results.csv', `report: not written`, words] });
    const path = expect.stringContaining(words) as unknown;
    expect((await json('results')).value).toMatchObject({ exit: 'unknown', report_problem: path });
    await expectRun('results --report none', 13, { not: 'report:' });
    await expectRun('report demo', 2, { out: '', err: [words, 'mv '] });
    expect((await readdir('out/demo')).filter((name) => name.endsWith('.part'))).toEqual([]);
    await rm('out/demo/report.html', { recursive: true });
  }
  const before = await readFile('out/demo/summary.json', 'utf8');
  await rm('out/demo/results.csv');
  await mkdir('out/demo/results.csv');
  await expectRun('results', 2, { out: '', err: ['out/demo/results.csv is no file', 'Nothing was written.', 'mv '] });
  expect(await readFile('out/demo/summary.json', 'utf8')).toBe(before);
  expect((await readdir('out/demo')).filter((name) => name.endsWith('.part'))).toEqual([]);
});

it('a report of a batch that goes on says so, and commands have no path of this machine', async () => {
  await addBatch(place, ['id', 'text'], [{ id: 'a', kind: 'tts', input: ['a', 'one'] }]);
  const err = 'Batch "demo" goes on; this is how it is now. Its end writes the report again.\n';
  await expectRun('report', 0, { out: 'out/demo/report.html\n', err });
  const { head, text } = await unpackReport('out/demo/report.html');
  expect(head).toMatchObject({ state: 'open', asOf: null });
  expect(text).not.toContain(place.folder);
  expect(text).not.toContain(process.cwd());
});
