import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { run, json } from '../command-line.ts';
import { lineForEach } from '../line-for-each.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';

const GOOD = [
  'id,kind,text,voice,video,audio,duration',
  'a,tts,Hello,anna,,,',
  'b,stt,,,,https://media.example/b.mp3,2.5',
  'c,stt,,,,https://media.example/c.mp3,',
  'd,dub,Hello,berta,https://media.example/d.mp4,,4',
  '',
].join('\n');

const line = lineForEach();

describe('plan', () => {
  it('prices each kind, and makes nothing', async () => {
    await writeFile('lines.csv', GOOD);
    const { code, value } = await json('plan', 'lines.csv', '--json');
    expect(code).toBe(0);
    expect(value).toMatchObject({
      batch: 'lines',
      rows: 4,
      requests: 5,
      credits: 13,
      estimated: true,
      unpriced: 1,
      problems: [],
      kinds: {
        tts: { rows: 1, requests: 1, credits: 3, unpriced: 0 },
        stt: { rows: 2, requests: 2, credits: 3, unpriced: 1 },
        dub: { rows: 1, requests: 2, credits: 7, unpriced: 0 },
      },
    });
    expect(existsSync('.voxbatch')).toBe(false);
    expect(existsSync('out')).toBe(false);
  });

  it('refuses to finish sound without ffmpeg, and rates that a type has not', async () => {
    await writeFile('lines.csv', 'id,text,voice\na,Hello there,v1\n');
    const path = process.env['PATH'];
    process.env['PATH'] = '';
    for (const command of ['plan', 'run']) {
      const without = await run(command, 'lines.csv', '--loudness', '-16');
      expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('apt-get install ffmpeg') });
    }
    Object.assign(process.env, { PATH: path, VOXBATCH_FFMPEG: '/no/ffmpeg' });
    expect(await run('plan', 'lines.csv', '--loudness', '-16')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('VOXBATCH_FFMPEG names /no/ffmpeg, which does not exist or cannot be run.'),
    });
    const rate = await run('plan', 'lines.csv', '--sound-format', 'opus', '--sample-rate', '44100');
    expect(rate).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sample-rate 44100: expected one of 8000'),
    });
    Object.assign(process.env, { VOXBATCH_FFMPEG: FFMPEG });
    expect((await run('plan', 'lines.csv', '--loudness', '-16', '--trim-silence')).code).toBe(0);
  });

  it('finishes sound as the config file says, unless a flag says otherwise', async () => {
    await writeFile('lines.csv', 'id,text,voice\na,Hello there,v1\n');
    await writeFile('voxbatch.config.json', '{"finish":{"loudness":-16,"sampleRate":44100}}');
    Object.assign(process.env, { VOXBATCH_FFMPEG: '/no/ffmpeg' });
    const refused = { code: 2, stderr: expect.stringContaining('VOXBATCH_FFMPEG names /no/ffmpeg') };
    expect(await run('plan', 'lines.csv')).toMatchObject(refused);
    expect(await run('plan', 'lines.csv', '--loudness', 'none')).toMatchObject(refused);
    expect((await run('plan', 'lines.csv', '--loudness', 'none', '--sample-rate', 'none')).code).toBe(0);
    expect(await run('plan', 'lines.csv', '--sound-format', 'opus')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/finish\.sampleRate: expected one of 8000, .* for Opus, but got 44100/),
    });
    Object.assign(process.env, { VOXBATCH_FFMPEG: FFMPEG });
    expect((await run('plan', 'lines.csv')).code).toBe(0);
    await writeFile('voxbatch.config.json', '{"finish":{"trimSilence":true}}');
    Object.assign(process.env, { VOXBATCH_FFMPEG: '/no/ffmpeg' });
    expect((await run('plan', 'lines.csv', '--no-trim-silence')).code).toBe(0);
  });

  it.each([
    [
      'a filter',
      `case "$*" in *ebur128*) echo "No such filter: 'ebur128'" >&2; exit 1;; esac`,
      "No such filter: 'ebur128'",
    ],
    [
      'an encoder',
      `case "$*" in *libmp3lame*) echo "Unknown encoder 'libmp3lame'" >&2; exit 1;; esac`,
      "Unknown encoder 'libmp3lame'",
    ],
    ['all that is needed, for it is no ffmpeg', 'exit 0', 'cannot be measured'],
  ])('refuses to finish sound by an ffmpeg that lacks %s', async (_, body, words) => {
    await writeFile('lines.csv', 'id,text,voice\na,Hello there,v1\n');
    const program = join(line.folder, "old ffmpeg's");
    await writeFile(program, `#!/bin/sh\n${body}\nexec '${FFMPEG}' "$@"\n`, { mode: 0o755 });
    Object.assign(process.env, { VOXBATCH_FFMPEG: program });
    expect(await run('plan', 'lines.csv', '--loudness', '-16', '--sound-format', 'mp3')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`${program}, which cannot: .*${words}.*Nothing was spent`, 's')),
    });
  });

  it('finds what --join cannot do before anything is paid for', async () => {
    await writeFile('lines.csv', GOOD);
    const missing = await run('plan', 'lines.csv', '--join', 'chapter');
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('as --join says') });
    expect(await run('plan', 'lines.csv', '--pause', '1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--pause needs --join'),
    });
    await writeFile('lines.csv', 'text,voice,chapter,pause,title\nHello,anna,1,0.5,Hi\n');
    const good = await run('plan', 'lines.csv', '--join', 'chapter', '--strict');
    expect(good.code).toBe(0);
  });

  it('says how many rows use the legacy paths, and of which dialect it is in any case', async () => {
    await writeFile('lines.csv', ['id,text,voice', 'a,One.,anna', 'b,Two.,anna', 'c,Three.,anna', ''].join('\n'));
    const { stdout } = await run('plan', 'lines.csv', '--api-dialect', 'legacy');
    expect(stdout).toContain('\nBy the legacy paths of the API: 3 of 3 rows, --api-dialect legacy\n');
    const share = await json('plan', 'lines.csv', '--api-dialect', 'legacy=40%', '--json');
    const legacy = Number(share.value['legacy_rows']);
    expect(share.value).toMatchObject({ api_dialect: 'legacy=40%', rows: 3 });
    expect(legacy).toBeLessThan(3);
    const all = await json('plan', 'lines.csv', '--json');
    expect(all.value).toMatchObject({ api_dialect: 'v1', legacy_rows: 0 });
    expect((await run('plan', 'lines.csv')).stdout).not.toContain('legacy');
  });

  it('shows a table for people, with estimates marked', async () => {
    await writeFile('lines.csv', GOOD);
    const { code, stdout, stderr } = await run(
      'plan',
      'lines.csv',
      '--rate',
      '2',
      '--halt',
      'never',
      '--on-unknown',
      'hold',
    );
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(1, 6)).toEqual([
      'kind   rows  paid requests        credits  rows without a price',
      'tts       1              1             ~3                     0',
      'stt       2              2   ~3 + unknown                     1',
      'dub       1              2             ~7                     0',
      'total     4              5  ~13 + unknown                     1',
    ]);
    expect(stdout).toContain('At 2 paid requests per second: at least 0:03');
    expect(stderr).toContain('Nothing was sent. Nothing was spent.');
  });

  it('prices only the rows that are chosen', async () => {
    await writeFile('lines.csv', GOOD);
    const { value } = await json('plan', 'lines.csv', '--limit', '2', '--json');
    expect(value).toMatchObject({ rows: 2, not_chosen: 2, credits: 6, unpriced: 0 });
    const { stdout, stderr } = await run('plan', 'lines.csv', '--sample', '3', '--seed', '7');
    expect(stdout).toMatch(/^Batch "lines" from lines\.csv: 3 of 4 rows \(--sample 3 --seed 7\)\n/);
    expect(stderr).toContain('voxbatch run lines.csv --sample 3 --seed 7\n');
    expect((await run('run', 'lines.csv', '--limit', '1', '--dry-run')).stdout).toContain('1 of 4 rows (--limit 1)');
  });

  it("marks no estimate where the user's own price counts", async () => {
    await writeFile('lines.csv', 'text,voice\nHello,anna\n');
    const speech = { unit: 'job', credits: 4 };
    await writeFile('voxbatch.config.json', JSON.stringify({ prices: { 'speech-job': speech } }));
    await run('trust');
    const { value } = await json('plan', 'lines.csv', '--json');
    expect(value).toMatchObject({ credits: 4, estimated: false });
  });

  it('lists every problem, up to 50 on the terminal and all of them as JSON', async () => {
    const bad = Array.from({ length: 60 }, (_, at) => `r${at},tts,,anna`);
    await writeFile('bad.csv', ['id,kind,text,voice', ...bad, ''].join('\n'));
    const { code, stdout, stderr } = await run('plan', 'bad.csv');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(52);
    expect(lines[0]).toMatch(/^line 2, id r0, column text: expected .+; got .+/);
    expect(lines[50]).toBe('and 10 more');
    expect(lines[51]).toMatch(/bad\.csv has 60 problems\. .*Nothing was spent\..*voxbatch plan bad\.csv/);

    const { value } = await json('plan', 'bad.csv', '--json');
    expect(value).toMatchObject({ manifest: 'bad.csv', problem_count: 60 });
    expect(value['problems']).toHaveLength(60);
  });

  it('says warnings and goes on', async () => {
    await writeFile('lines.csv', 'text,voice,mood\nHello,anna,glad\n');
    const { code, stderr } = await run('plan', 'lines.csv');
    expect(code).toBe(0);
    expect(stderr).toContain('warning: line 1, column mood: ');
  });

  it('refuses one of our outcome files, since that is redrive', async () => {
    await writeFile('failed.csv', 'id,kind,text,voice,_batch,_outcome\na,tts,Hello,anna,spring,failed\n');
    const { code, stderr } = await run('plan', 'failed.csv');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /outcome file of batch "spring".*redrives these rows.*Nothing was spent\..* redrive --from failed.csv --dry-run/,
    );
  });

  it.each([
    [['plan', 'none.csv'], /cannot read the manifest none\.csv.*"voxbatch init"/],
    [['plan', 'lines'], /cannot read the manifest lines: .*Did you mean lines\.csv\?/],
    [['run', 'lines'], /Did you mean lines\.csv\?/],
    [['plan'], /missing required argument 'manifest'/],
    [['plan', 'lines.csv', '--kind', 'opera'], /--kind: expected one of tts, stt, lip-sync, dub/],
    [['plan', 'lines.csv', '--map', 'text'], /expected OUR-COLUMN=THEIR-COLUMN/],
    [['plan', 'lines.csv', '--rate', '0'], /expected a number above 0/],
    [['plan', 'lines.csv', '--limit', '0'], /expected a whole number from 1 on/],
    [['plan', 'lines.csv', '--sample', '2.5'], /expected a whole number from 1 on/],
    [['plan', 'lines.csv', '--limit', '2', '--sample', '2'], /--limit cannot be combined with --sample/],
    [['run', 'lines.csv', '--seed', '2'], /--seed needs --sample/],
    [['plan', 'lines.csv', '--name', '../x'], /is not a valid batch name/],
  ])('%j ends with 2 and says why', async (words, why) => {
    await writeFile('lines.csv', GOOD);
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(why);
    expect(stderr).toContain('Nothing was spent.');
  });
});

describe('the next command', () => {
  it('has the flags that were given, as a shell takes them', async () => {
    await writeFile('my lines.csv', 'text,stimme\nHello,anna\n');
    const flags = ['--map', 'voice=stimme', '--halt', 'soon,fail=5%', '--poll-rate', '3', '--yes', '--tts', 'job'];
    const { code, stderr } = await run('plan', 'my lines.csv', ...flags);
    expect(code).toBe(0);
    expect(stderr).toContain(
      "To run it: voxbatch run 'my lines.csv' --map voice=stimme --halt soon,fail=5% --poll-rate 3 --yes\n",
    );
  });

  it('of a wrong flag says to change the flag, not the lines', async () => {
    await writeFile('lines.csv', `text,voice\n${'Hello,anna\n'.repeat(9)}`);
    const { code, stderr } = await run('plan', 'lines.csv', '--file-name', 'x.{ext}');
    expect(code).toBe(2);
    expect(stderr.match(/^line \d+/gm)).toHaveLength(3);
    expect(stderr).toContain('and 5 more\n');
    expect(stderr).toContain("Fix --file-name 'x.{ext}' (with {id} or {row}");
    expect(stderr).toContain("check again: voxbatch plan lines.csv --file-name 'x.{ext}'\n");
    expect(stderr).not.toContain('lines above');
    const mapped = await run('plan', 'lines.csv', '--map', 'text=txtt');
    expect(mapped.stderr).toMatch(/Fix --map, .*: voxbatch plan lines\.csv --map text=txtt\n/);
  });

  it('of a column that may be meant names the flag that reads it', async () => {
    await writeFile('lines.csv', 'text,voice,engin\nHello,anna,x\n');
    expect((await run('plan', 'lines.csv')).stderr).toContain('did you mean engine? Or: --map engine=engin\n');
  });
});
