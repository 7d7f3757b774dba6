import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectRefused, expectRun, json, lineForEach, run } from '../command-line.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';

const GOOD = [
  'id,kind,text,voice,video,audio,duration',
  'a,tts,Hello,anna,,,',
  'b,stt,,,,https://media.example/b.mp3,2.5',
  'c,stt,,,,https://media.example/c.mp3,',
  'd,dub,Hello,berta,https://media.example/d.mp4,,4',
  '',
].join('\n');

lineForEach();

const write = (lines: string): Promise<void> => writeFile('lines.csv', lines);
const configure = (config: object): Promise<void> => writeFile('voxbatch.config.json', JSON.stringify(config));

describe('plan', () => {
  it('prices each kind, and makes nothing', async () => {
    await write(GOOD);
    const value = {
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
    };
    expect(await json('plan lines.csv')).toMatchObject({ code: 0, value });
    expect([existsSync('.voxbatch'), existsSync('out')]).toEqual([false, false]);
  });

  it('shows a table for people, with estimates marked', async () => {
    await write(GOOD);
    const table = [
      'kind   rows  paid requests        credits  rows without a price',
      'tts       1              1             ~3                     0',
      'stt       2              2   ~3 + unknown                     1',
      'dub       1              2             ~7                     0',
      'total     4              5  ~13 + unknown                     1',
      '',
    ].join('\n');
    const out = [table, 'At 2 paid requests per second: at least 0:03'];
    const err = 'Nothing was sent. Nothing was spent.';
    await expectRun('plan lines.csv --rate 2 --halt never --on-unknown hold', 0, { out, err });
  });

  it('prices only the rows that are chosen', async () => {
    await write(GOOD);
    const { value } = await json('plan lines.csv --limit 2');
    expect(value).toMatchObject({ rows: 2, not_chosen: 2, credits: 6, unpriced: 0 });
    const out = /^Batch "lines" from lines\.csv: 3 of 4 rows \(--sample 3 --seed 7\)\n/;
    await expectRun('plan lines.csv --sample 3 --seed 7', 0, {
      out,
      err: 'voxbatch run lines.csv --sample 3 --seed 7\n',
    });
    await expectRun('plan lines.csv --limit 1', 0, { out: '1 of 4 rows (--limit 1)' });
  });

  it("marks no estimate where the user's own price counts", async () => {
    await write('text,voice\nHello,anna\n');
    await configure({ prices: { 'speech-job': { unit: 'job', credits: 4 } } });
    await run('trust');
    expect((await json('plan lines.csv')).value).toMatchObject({ credits: 4, estimated: false });
  });

  it('says how many rows use the legacy paths, and of which dialect it is in any case', async () => {
    await write(['id,text,voice', 'a,One.,anna', 'b,Two.,anna', 'c,Three.,anna', ''].join('\n'));
    const out = '\nBy the legacy paths of the API: 3 of 3 rows, --api-dialect legacy\n';
    await expectRun('plan lines.csv --api-dialect legacy', 0, { out });
    const share = (await json('plan lines.csv --api-dialect legacy=40%')).value;
    expect(share).toMatchObject({ api_dialect: 'legacy=40%', rows: 3 });
    expect(Number(share['legacy_rows'])).toBeLessThan(3);
    expect((await json('plan lines.csv')).value).toMatchObject({ api_dialect: 'v1', legacy_rows: 0 });
    await expectRun('plan lines.csv', 0, { not: 'legacy' });
  });

  it('finds what --join cannot do before anything is paid for', async () => {
    await write(GOOD);
    await expectRun('plan lines.csv --join chapter', 2, 'as --join says');
    await expectRun('plan lines.csv --pause 1', 2, '--pause needs --join');
    await write('text,voice,chapter,pause,title\nHello,anna,1,0.5,Hi\n');
    await expectRun('plan lines.csv --join chapter --strict', 0);
  });

  it('lists every problem, up to 50 on the terminal and all of them as JSON', async () => {
    const bad = Array.from({ length: 60 }, (_, at) => `r${at},tts,,anna`);
    await writeFile('bad.csv', ['id,kind,text,voice', ...bad, ''].join('\n'));
    const last = /\nand 10 more\nvoxbatch: bad\.csv has 60 problems\. .*Nothing was spent\..*voxbatch plan bad\.csv\n$/;
    const first = /^line 2, id r0, column text: expected .+; got .+/;
    const { stderr } = await expectRefused('plan bad.csv', [first, last]);
    expect(stderr.trimEnd().split('\n')).toHaveLength(52);
    const { value } = await json('plan bad.csv');
    expect(value).toMatchObject({ manifest: 'bad.csv', problem_count: 60 });
    expect(value['problems']).toHaveLength(60);
  });

  it('says warnings and goes on', async () => {
    await write('text,voice,engin\nHello,anna,x\n');
    const meant = 'did you mean engine? Or: --map engine=engin\n';
    await expectRun('plan lines.csv', 0, ['warning: line 1, column engin: ', meant]);
  });

  it('refuses one of our outcome files, since that is redrive', async () => {
    await writeFile('failed.csv', 'id,kind,text,voice,_batch,_outcome\na,tts,Hello,anna,spring,failed\n');
    const redrives = /outcome file of batch "spring".*redrives these rows.* redrive --from failed.csv --dry-run/;
    await expectRefused('plan failed.csv', redrives);
  });

  it.each([
    ['plan none.csv', /cannot read the manifest none\.csv.*"voxbatch init"/],
    ['plan lines', /cannot read the manifest lines: .*Did you mean lines\.csv\?/],
    ['run lines', /Did you mean lines\.csv\?/],
    ['plan', /missing required argument 'manifest'/],
    ['plan lines.csv --kind opera', /--kind: expected one of tts, stt, lip-sync, dub/],
    ['plan lines.csv --map text', /expected OUR-COLUMN=THEIR-COLUMN/],
    ['plan lines.csv --rate 0', /argument '0' is invalid: expected a number above 0/],
    ['plan lines.csv --limit 0', /expected a whole number from 1 on/],
    ['plan lines.csv --sample 2.5', /expected a whole number from 1 on/],
    ['plan lines.csv --limit 2 --sample 2', /--limit cannot be combined with --sample/],
    ['run lines.csv --seed 2', /--seed needs --sample/],
    ['plan lines.csv --name ../x', /is not a valid batch name/],
  ])('%s ends with 2 and says why', async (line, why) => {
    await write(GOOD);
    await expectRefused(line, why);
  });
});

it('plan offers no example to somebody whose manifest is there, but cannot be read', async () => {
  await symlink('loop.csv', 'loop.csv');
  await expectRefused('plan loop.csv', /cannot read the manifest loop\.csv: ELOOP.*\. Nothing was spent\.\n$/);
});

describe('plan of sound that is to be finished', () => {
  const useFfmpeg = (path: string): void => void Object.assign(process.env, { VOXBATCH_FFMPEG: path });
  beforeEach(() => write('id,text,voice\na,Hello there,v1\n'));

  it('refuses it without ffmpeg, and rates that a type has not', async () => {
    const { PATH } = process.env;
    process.env['PATH'] = '';
    for (const command of ['plan', 'run'])
      await expectRun(`${command} lines.csv --loudness -16`, 2, 'apt-get install ffmpeg');
    Object.assign(process.env, { PATH });
    useFfmpeg('/no/ffmpeg');
    const none = 'VOXBATCH_FFMPEG names /no/ffmpeg, which does not exist or cannot be run.';
    await expectRun('plan lines.csv --loudness -16', 2, none);
    const rate = '--sample-rate 44100: expected one of 8000';
    await expectRun('plan lines.csv --sound-format opus --sample-rate 44100', 2, rate);
    useFfmpeg(FFMPEG);
    await expectRun('plan lines.csv --loudness -16 --trim-silence', 0);
  });

  it('goes by the config file, unless a flag says otherwise', async () => {
    await configure({ finish: { loudness: -16, sampleRate: 44_100 } });
    useFfmpeg('/no/ffmpeg');
    for (const flags of ['', '--loudness none'])
      await expectRun(`plan lines.csv ${flags}`, 2, 'VOXBATCH_FFMPEG names /no/ffmpeg');
    await expectRun('plan lines.csv --loudness none --sample-rate none', 0);
    const rate = /finish\.sampleRate: expected one of 8000, .* for Opus, but got 44100/;
    await expectRun('plan lines.csv --sound-format opus', 2, rate);
    useFfmpeg(FFMPEG);
    await expectRun('plan lines.csv', 0);
    await configure({ finish: { trimSilence: true } });
    useFfmpeg('/no/ffmpeg');
    await expectRun('plan lines.csv --no-trim-silence', 0);
  });

  const lacks = (name: string, words: string): string => `case "$*" in *${name}*) echo "${words}" >&2; exit 1;; esac`;

  it.each([
    ['a filter', lacks('ebur128', "No such filter: 'ebur128'"), "No such filter: 'ebur128'"],
    ['an encoder', lacks('libmp3lame', "Unknown encoder 'libmp3lame'"), "Unknown encoder 'libmp3lame'"],
    ['all that is needed, for it is no ffmpeg', 'exit 0', 'cannot be measured'],
  ])('refuses an ffmpeg that lacks %s', async (_, body, words) => {
    const program = join(process.cwd(), "old ffmpeg's");
    await writeFile(program, `#!/bin/sh\n${body}\nexec '${FFMPEG}' "$@"\n`, { mode: 0o755 });
    useFfmpeg(program);
    const why = new RegExp(`${program}, which cannot: .*${words}.*Nothing was spent`, 's');
    await expectRun('plan lines.csv --loudness -16 --sound-format mp3', 2, why);
  });
});

describe('the next command', () => {
  it('has the flags that were given, as a shell takes them', async () => {
    await writeFile('my lines.csv', 'text,stimme\nHello,anna\n');
    const flags = '--map voice=stimme --halt soon,fail=5% --poll-rate 3 --yes';
    const next = `To run it: voxbatch run 'my lines.csv' ${flags}\n`;
    await expectRun(['plan', 'my lines.csv', ...flags.split(' '), '--tts', 'job'], 0, next);
  });

  it('of a wrong flag says to change the flag, not the lines', async () => {
    await write(`text,voice\n${'Hello,anna\n'.repeat(9)}`);
    const fix = "Fix --file-name 'x.{ext}' (with {id} or {row}";
    const again = "check again: voxbatch plan lines.csv --file-name 'x.{ext}'\n";
    const err = ['and 5 more\n', fix, again];
    const { stderr } = await expectRun('plan lines.csv --file-name x.{ext}', 2, { err, not: 'lines above' });
    expect(stderr.match(/^line \d+/gm)).toHaveLength(3);
    const mapped = /Fix --map, .*: voxbatch plan lines\.csv --map text=txtt\n/;
    await expectRun('plan lines.csv --map text=txtt', 2, mapped);
  });
});
