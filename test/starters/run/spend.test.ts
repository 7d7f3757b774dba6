/** @slow */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { renderAudio } from '../../../simulator/media/render-audio.ts';
import { inRanges, startMediaServer, type MediaServer } from '../../inputs/media-server.ts';
import { type Ended, expectRefused, expectRun, json, lineAtSimulator, run, simulate } from '../command-line.ts';
import { serve } from '../../support/api-server.ts';

/** The checks before a batch is made, through the command line. None of these runs gets as far as Temporal. */

let recording: Buffer;
beforeAll(() => {
  recording = renderAudio('mp3', 'spend', 6);
});

const line = lineAtSimulator({ credits: 1_000 });
beforeEach(async () => {
  await writeFile('lines.csv', 'id,text,voice\na,Hello there,narrator\nb,Hi,narrator\n');
  const audio = ['id,audio,duration', 'long,https://media.example/a.mp3,30', 'open,https://media.example/b.mp3,', ''];
  await writeFile('audio.csv', audio.join('\n'));
});

/** A server of the recording, as `/a.mp3`. */
async function serveMedia(): Promise<MediaServer> {
  const media = await startMediaServer({ '/a.mp3': inRanges(recording, 'audio/mpeg') });
  return media;
}

/** A refusal: exit code 3, no batch on record, nothing sent. */
async function expectNotSpent(words: string, ...said: readonly (string | RegExp)[]): Promise<void> {
  await expectRefused(words, [...said, 'Nothing was sent. Nothing was spent.'], 3);
  const ledger = await openLedger('.voxbatch/ledger.db', { mustExist: true });
  expect(await ledger.listBatches()).toEqual([]);
  await ledger.close();
}

const configure = (config: object): Promise<void> => writeFile('voxbatch.config.json', JSON.stringify(config));

describe('run, before it makes a batch', () => {
  it('refuses a row without a price under a budget, and names it', async () => {
    const cures = /duration.*--probe.*--assume-seconds/s;
    await expectNotSpent('run audio.csv --budget 100', '  line 3, id open: unknown length', cures);
  });

  it('refuses a budget that pays no row, from the flag and from the config', async () => {
    const why = 'is too small for any row: the cheapest costs 1, all cost 7';
    await expectNotSpent('run lines.csv --budget 0.5', why);
    await configure({ budget: 0.5 });
    await expectNotSpent('run lines.csv', why);
  });

  it('refuses an account that cannot pay the cheapest row', async () => {
    await simulate({ credits: 0 });
    await expectNotSpent('run lines.csv', /Not enough credits: the account has 0 API credits; .*costs 1/);
  });

  it('refuses a port for webhooks that another program uses: no batch is on record', async () => {
    const port = String((await serve(() => undefined)).port);
    const taken = `Another program uses port ${port} of 127.0.0.1`;
    const words = `run lines.csv --webhook https://hooks.example/x --webhook-port ${port}`;
    await expectRefused(words, [taken, 'Nothing was sent. Nothing was spent.']);
    await expectRun('list', 0, { not: 'lines' });
  });

  it('refuses the out folder of the same batch in another ledger: that one has paid, and this one knows nothing of it', async () => {
    const { value: planned } = await json('plan lines.csv');
    const { value: profile } = await json('profile');
    const realm = { api: line.simulator.url, account: profile['user_id'] };
    const owner = { batch: 'lines', manifest_digest: planned['manifest_digest'], ...realm, ledger: 'another' };
    await mkdir('out/lines', { recursive: true });
    await writeFile('out/lines/.voxbatch-batch.json', JSON.stringify(owner));
    const why = /this batch from another ledger.*VOXBATCH_HOME that you ran it with.* nothing was spent/s;
    await expectRun('run lines.csv', 2, why);
  });

  it('refuses a bill above the threshold that nobody confirms', async () => {
    await expectNotSpent('run lines.csv --confirm 6', /about 7 credits for 2 rows is more than 6 .*--yes/);
    await configure({ confirmAbove: 0 });
    await expectNotSpent('run lines.csv', 'Not confirmed');
  });

  it('refuses what still has no price after probing, and says why', async () => {
    const media = await serveMedia();
    await writeFile('probe.csv', `id,audio\nfound,${media.url}/a.mp3\nlost,${media.url}/b.mp3\n`);
    const unread = 'The length could not be read for 1 row; these rows have no price:\n';
    const lost = `${unread}  line 3, id lost: the audio answers 404\n`;
    await expectNotSpent(
      'run probe.csv --budget 100 --probe',
      lost,
      'needs a price for every row; 1 row of 2 has none',
    );
    for (const { headers } of media.requests) expect(JSON.stringify(headers)).not.toContain(line.simulator.token);
  });

  it('probes nothing for a manifest with an error', async () => {
    const media = await serveMedia();
    await writeFile('bad.csv', `id,audio,duration\na,${media.url}/a.mp3,\nb,${media.url}/b.mp3,soon\n`);
    await expectRun('run bad.csv --probe', 2);
    expect(media.requests).toEqual([]);
  });
});

describe('plan', () => {
  const plan = async (...words: string[]): Promise<Ended & { lines: string[] }> => {
    const ended = await expectRun(['plan', ...words], 0);
    expect(existsSync('.voxbatch')).toBe(false);
    return { ...ended, lines: ended.stdout.trimEnd().split('\n') };
  };

  it('shows prices with their units, the balance and what is left, and the disk', async () => {
    const { lines } = await plan('lines.csv');
    expect(lines).toContain('Prices: speech-job 0.5 credits per character, a CJK character counts as 2 (estimate)');
    expect(lines).toContain('Balance: 1,000 API credits; 993 after this batch');
    expect(lines.at(-1)).toMatch(/^Disk: about 13\.9 KB of results \(rough estimate\); [\d,.]+ [KMGT]B free at .+\.$/);
    const { value } = await json('plan lines.csv --budget 4');
    expect(value).toMatchObject({
      balance: 1_000,
      balance_after: 993,
      balance_unknown: null,
      budget: 4,
      affordable: { rows: 1, credits: 1 },
      disk: { bytes: 13_867, free: expect.any(Number), estimated: true, rows_unknown: 0 },
      prices: { 'speech-job': { unit: 'character', credits: 0.5, cjk_factor: 2, estimated: true } },
      run: 'go',
      refusal: null,
    });
  });

  it('says how many rows the disk does not count', async () => {
    expect((await plan('audio.csv')).stdout).toMatch(
      /Disk: about .+ of results \(rough estimate, not counting 1 row of unknown length\); /,
    );
    await writeFile('audio.csv', 'id,audio\nopen,https://media.example/b.mp3\n');
    expect((await plan('audio.csv')).stdout).toContain('Disk: results of unknown size (1 row of unknown length); ');
  });

  it('says why the balance is not known, and plans all the same', async () => {
    const { url } = line.simulator;
    process.env['VOXBATCH_API_TOKEN'] = 'wrong';
    expect((await plan('lines.csv')).stdout).toMatch(/Balance: unknown \(.+\)/);
    delete process.env['VOXBATCH_API_URL'];
    expect((await plan('lines.csv')).lines).toContain('Balance: unknown (No API is configured)');
    const { value } = await json('plan lines.csv --api-url', url);
    expect(value).toMatchObject({ balance: null, balance_after: null, balance_unknown: expect.any(String) });
  });

  it('says what run would refuse, ask or warn of', async () => {
    const refused = await plan('audio.csv', '--budget', '40');
    expect(refused.stdout).toContain('run refuses this (exit code 3):\nA budget needs a price for every row');
    expect(refused.stderr).not.toContain('Run it:');
    expect((await plan('lines.csv', '--budget', '4')).stdout).toContain('pays for about 1 of 2 rows');
    expect((await plan('lines.csv', '--retakes', '2')).lines).toContain(
      'Not included: up to 2 retakes per row after failed jobs and unfit results, each at full price.',
    );
    expect((await plan('lines.csv', '--retakes', '1')).stdout).toContain('up to 1 retake per row');
    expect((await plan('lines.csv', '--confirm', '5')).lines.at(-1)).toBe(
      'run asks for confirmation: Spend about 7 credits for 2 rows? (--yes confirms)',
    );
    expect((await plan('lines.csv', '--confirm', '5', '--yes')).stdout).not.toContain('run asks');
    const { value } = await json('plan audio.csv --budget 40');
    expect(value).toMatchObject({
      run: 'refuse',
      refusal: expect.any(String),
      unpriced_rows: [{ line: 3, id: 'open' }],
    });
  });

  it('prices rows of unknown length by probing, else by assumption, and marks both', async () => {
    const media = await serveMedia();
    await configure({ prices: { transcription: { unit: 'second', credits: 2 } } });
    await run('trust');
    const manifest = `audio,duration\n${media.url}/a.mp3,\n${media.url}/b.mp3,\n${media.url}/c.mp3,5\n`;
    await writeFile('probe.csv', manifest);
    const notProbed = { count: 1, rows: [{ line: 3, why: 'the audio answers 404' }] };
    const assumed = { credits: 12 + 120 + 10, unpriced: 0, assumed: 1, estimated: true, not_probed: notProbed };
    expect(await json('plan probe.csv --probe --assume-seconds 60')).toMatchObject({ code: 0, value: assumed });
    const { value } = await json('plan probe.csv --probe');
    expect(value).toMatchObject({ credits: 22, unpriced: 1, assumed: 0, estimated: false });
    expect(await readFile('probe.csv', 'utf8')).toBe(manifest);
  });
});
