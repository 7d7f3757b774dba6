/** @slow */
import { writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Flags } from '../../../starters/commands/flags.ts';
import { expectRun, json, lineAtSimulator, run } from '../command-line.ts';
import { recordBatch, withLedger } from './record-batch.ts';

const MANIFEST =
  'Nr;Sprecher;Sprechtext;Regie;Szene\n1;Lin;Hallo;;1\n2;Ada;Na sowas!;leise;1\n;;;;\n3;Lin;Bis dann.;;2\n';
const CAST = 'Name;Stimme\nLin;name:Narrator\nAda;name:ada\n';
const MAP = { id: 'Nr', text: 'Sprechtext', speaker: 'Sprecher' };
const MAP_FLAGS = '--map id=Nr --map text=Sprechtext --map speaker=Sprecher';

lineAtSimulator();
const configure = (config: object): Promise<void> => writeFile('voxbatch.config.json', JSON.stringify(config));
beforeEach(async () => {
  await writeFile('lines.csv', MANIFEST);
  await writeFile('cast.csv', CAST);
});

/** The batch that `run lines.csv` with these flags makes here, before any of its rows was sent. */
async function record(flags: Flags): Promise<void> {
  const columns = ['Nr', 'Sprecher', 'Sprechtext', 'Regie', 'Szene'];
  await withLedger(async (ledger) => {
    const made = { name: 'lines', manifest: MANIFEST, columns, flags, reading: { map: MAP } };
    const loading = await recordBatch(ledger, made);
    const spec = { kind: 'tts', text: 'Hallo', voice: 'v1', extra: {} } as const;
    const input = ['1', 'Lin', 'Hallo', '', '1'];
    await ledger.addRows(loading, [{ row: 1, id: '1', line: 2, spec, input, quoted: 3 }]);
    await ledger.openBatch(loading, 1);
  });
  await run('trust');
}

describe('plan with a cast', () => {
  it('lists lines, characters and price of each name, as text and as JSON', async () => {
    const { stdout, stderr } = await expectRun(`plan lines.csv --cast cast.csv ${MAP_FLAGS}`, 0);
    expect(stdout).toMatch(
      /Cast \(cast\.csv\):\nspeaker +voice +lines +characters +credits\nLin +name:Narrator +2 +14 +~8\nAda +name:ada +1 +9 +~5\n/,
    );
    expect(stderr).toContain('warning: line 1, columns Regie, Szene: unknown column, copied to the results\n');
    expect(stderr).toContain('warning: line 4: empty rows, left out (1 row)\n');
    const { value } = await json(`plan lines.csv --cast cast.csv ${MAP_FLAGS}`);
    expect(value['cast']).toEqual([
      { name: 'Lin', voice: 'name:Narrator', rows: 2, characters: 14, free: 0, credits: 8, unpriced: 0 },
      { name: 'Ada', voice: 'name:ada', rows: 1, characters: 9, free: 0, credits: 5, unpriced: 0 },
    ]);
  });

  it('has it and all else from the config, of all manifests or of this one', async () => {
    await configure({ map: { ...MAP, language: 'Sprache' }, cast: 'cast.csv', fileName: '{Szene}/{id}.{ext}' });
    const { stderr } = await expectRun(
      'plan lines.csv --strict',
      2,
      'column Regie: expected a known column, or a name that begins with _',
    );
    expect(stderr).not.toContain('Szene');
    await configure({
      voice: 'usual',
      cast: 'none.csv',
      manifests: { 'lines.csv': { map: MAP, cast: 'cast.csv', join: 'Szene' } },
    });
    expect((await json('plan lines.csv')).value['cast']).toMatchObject([{ name: 'Lin' }, { name: 'Ada' }]);
    await writeFile('others.csv', 'text\nHello\n');
    await expectRun('plan others.csv', 2, 'cannot read the cast none.csv');
    await configure({ voice: 'usual', cast: 'none.csv', manifests: { 'others.csv': { cast: null } } });
    expect((await json('plan others.csv')).value).toMatchObject({ rows: 1, cast: [] });
  });

  it('refuses a cast outside of the folder that comes with the config', async () => {
    await configure({ cast: '../cast.csv' });
    await expectRun('plan lines.csv', 2, 'cast: expected a file in this folder or below');
  });
});

describe('the same command again', () => {
  const flags = { cast: 'cast.csv', map: ['id=Nr', 'text=Sprechtext', 'speaker=Sprecher'] };
  const command = `plan lines.csv --cast cast.csv ${MAP_FLAGS}`;

  it('goes on with the same cast, also from another file or in another order', async () => {
    await record(flags);
    await writeFile('cast2.csv', 'Stimme;Name\nname:ada;Ada\nname:Narrator;Lin\n');
    for (const words of [command, command.replace('cast.csv', 'cast2.csv')]) {
      const { value } = await json(words);
      expect(value).toMatchObject({ existing: { batch: 'lines', differs: null }, cast: [{ name: 'Lin', rows: 1 }] });
    }
  });

  it('refuses a changed cast, and says who has another voice', async () => {
    await record(flags);
    await writeFile('cast.csv', CAST.replace('name:ada', 'v-new'));
    await expectRun(command.replace('plan', 'run'), 2, [
      'The name "lines" is taken by a batch that read the same manifest with another cast: Ada was name:ada and is v-new. Nothing was spent.',
      'voxbatch up --until-idle    goes on with that batch as it was made',
    ]);
    await expectRun(command, 0, 'with another cast: Ada was name:ada and is v-new');
  });

  it('is the same whether flags or the config say it, and a changed config is told like changed flags', async () => {
    await configure({ map: MAP, cast: 'cast.csv' });
    await record({});
    expect((await json('plan lines.csv')).value).toMatchObject({ existing: { differs: null } });
    expect((await json(command)).value).toMatchObject({ existing: { differs: null } });
    await configure({ map: MAP, cast: 'cast.csv', voice: 'usual' });
    await expectRun('run lines.csv', 2, [
      'with other flags: no --voice there, --voice usual now. Nothing was spent.',
      'voxbatch up --until-idle    goes on with that batch as it was made',
    ]);
  });
});
