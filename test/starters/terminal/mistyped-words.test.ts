import { describe, expect, it } from '@jest/globals';
import { expectRun, json, lineForEach } from '../command-line.ts';

lineForEach();

describe('a word that other tools use', () => {
  it.each([
    ['retry lines', '(Did you mean redrive?)'],
    ['cancel', '(Did you mean stop?)'],
    ['validate lines.csv', '(Did you mean plan?)'],
    ['logs', '(For a row: voxbatch explain ROW.'],
    ['plan x.csv --quiet', '(These take --quiet: run, redrive'],
    ['status -v', '(These take -v: run, redrive'],
    ['list -o x', '(These take -o: run, plan, redrive'],
    [
      'run x.csv --concurrency 4',
      '(Did you mean --window? These take --window: run, plan, tune, schedule create, sche',
    ],
    ['run x.csv --output y', '(Did you mean --out? These take --out: run'],
  ])('%s is answered with ours', async (line, hint) => {
    await expectRun(line, 2, { err: hint, not: '--budget' });
    expect((await json(line)).value).toMatchObject({ message: expect.stringContaining(hint) });
  });

  it.each([
    ['run x.csv --no-cache', '--cache off'],
    ['plan x.csv --fresh', '--cache fresh'],
    ['say Hi --cached-only', '--cache only'],
    ['run x.csv --dry-run', 'voxbatch plan MANIFEST'],
    ['status --follow', 'voxbatch watch BATCH'],
    ['up --no-server', 'voxbatch worker'],
    ['voices preview Ada Hi', 'voxbatch say TEXT --voice VOICE'],
  ])('%s says the same as another word of ours, which is named', async (line, ours) => {
    await expectRun(line, 2, { err: [`(Instead: ${ours})`, 'Nothing was spent.'], not: 'Did you mean' });
  });

  it('that nobody uses is answered with the nearest of ours, as before', async () => {
    await expectRun('run x.csv --buget 4', 2, '(Did you mean --budget?)');
    await expectRun('stauts', 2, '(Did you mean status?)');
  });
});

describe('a word that is read otherwise than it is meant', () => {
  it.each([
    [['say', '-5 degrees', '--voice', 'anna'], "put it last, after --: -- '-5 degrees')"],
    [['say', '-hello', '--voice', 'anna'], 'after --: -- -hello)'],
    [['say', '-very good', '--voice', 'anna'], "after --: -- '-very good')"],
    [['say', '-old friend', '--voice', 'anna'], "after --: -- '-old friend')"],
    [['say', "-don't", '--voice', 'anna'], 'after --: -- '],
    [['run --join --name x'], '--join needs a value, and the next word is the flag --name.'],
    [['say Hi --voice --json'], 'If it is meant to be the value: --voice=--json.'],
    [['run x.csv --voice -y'], '--voice needs a value, and the next word is the flag -y.'],
    [['voices create --sample a.wav Ada'], '(--sample takes Ada for its value. Any other word goes before'],
    [['say --verify 0.1'], '(--verify takes 0.1 for its value. Any other word goes before the flag, or after --.)'],
  ])('%j is a usage error that says so', async (line, hint) => {
    await expectRun(line, 2, [hint, 'Nothing was spent.']);
    expect((await json(...line)).value).toMatchObject({ message: expect.stringContaining(hint) });
  });

  it('is left alone where it can be meant', async () => {
    await expectRun(['say --voice anna --', '-5 degrees'], 5, { not: '--:' });
    await expectRun('say Hi --voice=--json', 5, { not: 'needs a value' });
    await expectRun('say', 2, { not: '(' });
  });
});
