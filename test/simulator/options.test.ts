import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SIMULATOR_FLAGS } from '../../simulator/flags.ts';
import { OptionError, parseSimulatorArguments } from '../../simulator/options.ts';
import { readySettings } from '../../simulator/settings.ts';
import { freshFolder } from '../support/fresh-folder.ts';

describe('parseSimulatorArguments', () => {
  it('reads every flag, and the token from the environment', async () => {
    const folder = freshFolder();
    const plan = join(folder, 'plan.json');
    await writeFile(plan, JSON.stringify({ rules: [{ on: 'create', fault: 'cut' }] }));
    const line = `--port 1 --media-port 2 --host ::1 --plan ${plan} --seed 3 --voices listed --shape docs --credits 4 --rate 5.5 --concurrency 6 --create-ms 100-300 --job-ms 7 --job-distribution lognormal --link-life-ms 8 --fetch-media yes --text-limit 600 --train-ms 9-10 --voice-count 11 --voice-churn 12 --webhooks late`;
    for (const { name } of SIMULATOR_FLAGS) expect(line).toContain(`--${name} `);
    expect(await parseSimulatorArguments(line.split(' '), { VOXBATCH_API_TOKEN: 'secret' })).toEqual({
      token: 'secret',
      port: 1,
      mediaPort: 2,
      host: '::1',
      plan: { rules: [{ on: 'create', match: {}, fault: { kind: 'cut' } }], echoInputs: 'drawn' },
      seed: 3,
      shape: 'docs',
      credits: 4,
      rate: 5.5,
      concurrency: 6,
      createMs: [100, 300],
      jobMs: [7, 7],
      jobDistribution: 'lognormal',
      voices: 'listed',
      linkLifeMs: 8,
      fetchMedia: true,
      textLimit: 600,
      trainMs: [9, 10],
      voiceCount: 11,
      voiceChurn: 12,
      webhooks: 'late',
    });
  });

  it('leaves out what is not given', async () => {
    expect(await parseSimulatorArguments([], { VOXBATCH_API_TOKEN: '' })).toEqual({});
  });

  it('reads the defaults that help texts show as the defaults that hold', async () => {
    // Those that are said in words.
    const inWords = ['a free one', 'no faults', 'drawn by the seed', 'no limit'];
    const flags = SIMULATOR_FLAGS.filter((flag) => !inWords.includes(flag.default));
    const line = flags.flatMap((flag) => [`--${flag.name}`, flag.default]);
    const settings = readySettings({});
    expect({ ...settings, ...(await parseSimulatorArguments(line, {})) }).toEqual(settings);
    expect(flags.map(({ name }) => name)).toEqual(expect.arrayContaining(['seed', 'credits', 'job-ms']));
  });

  it.each([
    ['--prot 1', '--prot'],
    ['--port x', '--port'],
    ['--port 65536', '--port'],
    ['--port', '--port'],
    ['--rate 0', '--rate'],
    ['--text-limit 0', '--text-limit'],
    ['--job-ms 300-100', '--job-ms'],
    ['--job-distribution even', '--job-distribution'],
    ['--shape docs=1', 'shape'],
    ['--shape voice.id=uuid', 'voice.id'],
    ['--plan /nowhere/plan.json', '--plan /nowhere/plan.json'],
    ['stray', 'stray'],
  ])('refuses %s', async (line, named) => {
    const parsing = parseSimulatorArguments(line.split(' '), {});
    await expect(parsing).rejects.toThrow(OptionError);
    await expect(parsing).rejects.toThrow(named);
  });
});
