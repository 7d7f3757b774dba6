/** @slow */
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { renderAudio } from '../../../simulator/media/render-audio.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { inRanges, startMediaServer, type MediaServer } from '../../inputs/media-server.ts';
import { openCommandLine, type CommandLine, type Ended, run, json } from '../command-line.ts';

/** The checks before a batch is made, through the command line. None of these runs gets as far as Temporal. */

const TOKEN = 'token-that-nobody-may-see';
let recording: Buffer;
beforeAll(() => {
  recording = renderAudio('mp3', 'spend', 6);
});

let simulator: Simulator;
let line: CommandLine;
const start = async (credits: number): Promise<void> => {
  simulator = await startSimulator({ token: TOKEN, credits });
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: TOKEN });
  await writeFile('lines.csv', 'id,text,voice\na,Hello there,narrator\nb,Hi,narrator\n');
  await writeFile(
    'audio.csv',
    'id,audio,duration\nlong,https://media.example/a.mp3,30\nopen,https://media.example/b.mp3,\n',
  );
};
beforeEach(() => start(1_000));
afterEach(async () => {
  await line.close();
  await simulator.close();
});

/** A refusal: exit code 3, no batch on record, nothing sent. */
async function refusal(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...words);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('Nothing was sent. Nothing was spent.');
  const ledger = await openLedger('.voxbatch/ledger.db', { mustExist: true });
  expect(await ledger.listBatches()).toEqual([]);
  await ledger.close();
  expect(simulator.ledger()).toEqual([]);
  return stderr;
}

describe('run, before it makes a batch', () => {
  it('refuses a row without a price under a budget, and names it', async () => {
    const said = await refusal('run', 'audio.csv', '--budget', '100');
    expect(said).toContain('  line 3, id open: unknown length');
    expect(said).toMatch(/duration.*--probe.*--assume-seconds/s);
  });

  it('refuses a budget that pays no row, from the flag and from the config', async () => {
    expect(await refusal('run', 'lines.csv', '--budget', '0.5')).toContain(
      'is too small for any row: the cheapest costs 1, all cost 7',
    );
    await writeFile('voxbatch.config.json', '{"budget":0.5}');
    expect(await refusal('run', 'lines.csv')).toContain('is too small for any row');
  });

  it('refuses an account that cannot pay the cheapest row', async () => {
    await line.close();
    await simulator.close();
    await start(0);
    expect(await refusal('run', 'lines.csv')).toMatch(/Not enough credits: the account has 0 API credits; .*costs 1/);
  });

  it('refuses a port for webhooks that another program uses: no batch is on record', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const words = ['run', 'lines.csv', '--webhook', 'https://hooks.example/x', '--webhook-port', port];
    const { code, stderr } = await run(...words).finally(() => other.close());
    expect(code).toBe(2);
    expect(stderr).toContain(`Another program uses port ${port} of 127.0.0.1`);
    expect(stderr).toContain('Nothing was sent. Nothing was spent.');
    expect((await run('list')).stdout).not.toContain('lines');
    expect(simulator.ledger()).toEqual([]);
  });

  it('refuses the out folder of the same batch in another ledger: that one has paid, and this one knows nothing of it', async () => {
    const { value: planned } = await json('plan', 'lines.csv', '--json');
    const { value: profile } = await json('profile', '--json');
    const owner = { batch: 'lines', manifest_digest: planned['manifest_digest'], api: simulator.url };
    await mkdir('out/lines', { recursive: true });
    await writeFile(
      'out/lines/.voxbatch-batch.json',
      JSON.stringify({ ...owner, account: profile['user_id'], ledger: 'another' }),
    );
    const { code, stderr } = await run('run', 'lines.csv');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('this batch from another ledger') });
    expect(stderr).toMatch(/VOXBATCH_HOME that you ran it with.* nothing was spent/);
    expect(simulator.ledger()).toEqual([]);
  });

  it('refuses a bill above the threshold that nobody confirms', async () => {
    expect(await refusal('run', 'lines.csv', '--confirm', '6')).toMatch(
      /about 7 credits for 2 rows is more than 6 .*--yes/,
    );
    await writeFile('voxbatch.config.json', '{"confirmAbove":0}');
    expect(await refusal('run', 'lines.csv')).toContain('Not confirmed');
  });

  it('refuses what still has no price after probing, and says why', async () => {
    const media = await startMediaServer({ '/a.mp3': inRanges(recording, 'audio/mpeg') });
    try {
      await writeFile('probe.csv', `id,audio\nfound,${media.url}/a.mp3\nlost,${media.url}/b.mp3\n`);
      const said = await refusal('run', 'probe.csv', '--budget', '100', '--probe');
      expect(said).toMatch(
        /The length could not be read for 1 row; these rows have no price:\n {2}line 3, id lost: the audio answers 404\n/,
      );
      expect(said).toContain('needs a price for every row; 1 row of 2 has none');
      for (const { headers } of media.requests) expect(JSON.stringify(headers)).not.toContain(TOKEN);
    } finally {
      await media.close();
    }
  });

  it('probes nothing for a manifest with an error', async () => {
    const media = await startMediaServer({});
    try {
      await writeFile('bad.csv', `id,audio,duration\na,${media.url}/a.mp3,\nb,${media.url}/b.mp3,soon\n`);
      const { code } = await run('run', 'bad.csv', '--probe');
      expect({ code, requests: media.requests }).toEqual({ code: 2, requests: [] });
    } finally {
      await media.close();
    }
  });
});

describe('plan', () => {
  const plan = async (...words: string[]): Promise<Ended & { lines: string[] }> => {
    const ended = await run('plan', ...words);
    expect(ended.code).toBe(0);
    expect(existsSync('.voxbatch')).toBe(false);
    return { ...ended, lines: ended.stdout.trimEnd().split('\n') };
  };

  it('shows prices with their units, the balance and what is left, and the disk', async () => {
    const { lines } = await plan('lines.csv');
    expect(lines).toContain('Prices: speech-job 0.5 credits per character, a CJK character counts as 2 (estimate)');
    expect(lines).toContain('Balance: 1,000 API credits; 993 after this batch');
    expect(lines.at(-1)).toMatch(/^Disk: about 13\.9 KB of results \(rough estimate\); [\d,.]+ [KMGT]B free at .+\.$/);
    const { value } = await json('plan', 'lines.csv', '--json', '--budget', '4');
    expect(value).toMatchObject({
      balance: 1_000,
      balance_after: 993,
      balance_unknown: null,
      budget: 4,
      affordable: { rows: 1, credits: 1 },
      disk: { bytes: 13_867, free: expect.any(Number), estimate: true, rows_unknown: 0 },
      prices: { 'speech-job': { unit: 'character', credits: 0.5, cjkFactor: 2, estimate: true } },
      run: 'go',
      refusal: null,
    });
  });

  it('says how many rows the disk does not count', async () => {
    expect((await plan('audio.csv')).stdout).toMatch(
      /Disk: about .+ of results \(rough estimate, not counting 1 row of unknown length\); /,
    );
  });

  it('says why the balance is not known, and plans all the same', async () => {
    process.env['VOXBATCH_API_TOKEN'] = 'wrong';
    expect((await plan('lines.csv')).stdout).toMatch(/Balance: unknown \(.+\)/);
    delete process.env['VOXBATCH_API_URL'];
    expect((await plan('lines.csv')).lines).toContain('Balance: unknown (No API is configured)');
    const { value } = await json('plan', 'lines.csv', '--json', '--api-url', simulator.url);
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
    const { value } = await json('plan', 'audio.csv', '--json', '--budget', '40');
    expect(value).toMatchObject({
      run: 'refuse',
      refusal: expect.any(String),
      unpriced_rows: [{ line: 3, id: 'open' }],
    });
  });

  it('prices rows of unknown length by probing, else by assumption, and marks both', async () => {
    const media: MediaServer = await startMediaServer({ '/a.mp3': inRanges(recording, 'audio/mpeg') });
    try {
      const own = { prices: { transcription: { unit: 'second', credits: 2 } } };
      await writeFile('voxbatch.config.json', JSON.stringify(own));
      await run('trust');
      await writeFile('probe.csv', `audio,duration\n${media.url}/a.mp3,\n${media.url}/b.mp3,\n${media.url}/c.mp3,5\n`);
      const before = await readFile('probe.csv', 'utf8');
      const { code, value } = await json('plan', 'probe.csv', '--json', '--probe', '--assume-seconds', '60');
      expect({ code, value }).toMatchObject({
        code: 0,
        value: {
          credits: 12 + 120 + 10,
          unpriced: 0,
          assumed: 1,
          estimated: true,
          not_probed: { count: 1, rows: [{ line: 3, why: 'the audio answers 404' }] },
        },
      });
      const unassumed = await json('plan', 'probe.csv', '--json', '--probe');
      expect(unassumed.value).toMatchObject({ credits: 22, unpriced: 1, assumed: 0, estimated: false });
      expect(await readFile('probe.csv', 'utf8')).toBe(before);
    } finally {
      await media.close();
    }
  });
});
