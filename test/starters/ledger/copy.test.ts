import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { exportLedgerCommand } from '../../../contract/shell-word.ts';
import { copy } from '../../../starters/ledger/copy.ts';
import { addBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { TABLES } from '../../../ledger/schema.ts';
import { aBatch, aRow } from '../../ledger/setup.ts';
import { inside } from '../../ledger/inside.ts';
import { aTerminal, expectRefused, expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();
let from: string;

beforeEach(async () => {
  const row = (id: string) => ({ id, kind: 'tts', input: [id, 'one'] }) as const;
  await addBatch(place, ['id', 'text'], [row('a'), row('b')]);
  await finish(place, keyOf(1), await place.store.put('a.mp3', 'sound'), 3);
  from = place.ledger.place;
});

describe('ledger copy', () => {
  it('says what will move, and moves nothing unless that was agreed to', async () => {
    const forecast = /moves to \S+new.db: 1 batch \(1 open\), 2 rows\. From then on .*Add --yes/s;
    await expectRun(['ledger copy', from, 'new.db'], 3, { out: '', err: forecast });
    const { output, lines } = aTerminal();
    await expect(copy(from, 'new.db', {}, { output }, () => Promise.resolve(false))).rejects.toThrow(
      'Nothing was moved.',
    );
    expect(lines.err).toContain('moves to');
    expect(existsSync('new.db')).toBe(false);
    await expectRun('status demo', 75);
  });

  it('asks a person, shows what it has compared, and where work goes on', async () => {
    const { output, lines } = aTerminal();
    expect(await copy(from, 'new.db', {}, { output }, () => Promise.resolve(true))).toBe('complete');
    expect(lines.out).toMatch(/demo\s+1 succeeded, 1 waiting\s+3\s+0/);
    expect(lines.out).toContain(
      `lines of ${Object.keys(TABLES).length} tables, and all counts and sums, are the same on both sides.`,
    );
    expect(lines.out).toContain(`export VOXBATCH_LEDGER=${join(process.cwd(), 'new.db')}`);
    process.env['VOXBATCH_LEDGER'] = 'new.db';
    await expectRun('status demo', 75, { out: '1 of 2 rows done' });
    await expectRun('ledger check', 0, { out: /demo\s+1 succeeded, 1 waiting\s+3\s+0\n.* adds up/ });
  });

  it('counts rows that were not chosen apart from those that were skipped, as all commands do', async () => {
    const { ledger } = place;
    const loading = await ledger.createBatch({ ...aBatch('some'), subset: { type: 'limit', rows: 1 } });
    await ledger.addRows(loading, [aRow(1), { ...aRow(2), isNotChosen: true }]);
    await expectRun('ledger check', 0, { out: /some\s+1 not chosen, 1 waiting\s/ });
    const { value } = await json('ledger', 'check');
    expect(value['batches']).toContainEqual(expect.objectContaining({ rows: { waiting: 1, not_chosen: 1 } }));
  });

  it('names no user of a database for commands: the owner who copies need not be theirs', () => {
    expect(exportLedgerCommand('postgres://owner@db/voxbatch')).toBe(
      'export VOXBATCH_LEDGER=postgres://owner@db/voxbatch (with the user that your commands have there)',
    );
  });

  it('has a view, of what was compared and of a command that is repeated', async () => {
    const rows = { succeeded: 1, waiting: 1 };
    const value = { result: 'copied', from, batches: [{ batch: 'demo', rows, charged: 3, uncertain: 0 }] };
    expect(await json('ledger', 'copy', from, 'new.db', '--yes')).toMatchObject({ code: 0, value });
    expect(await json('ledger', 'copy', from, 'new.db')).toMatchObject({ code: 0, value: { result: 'already' } });
  });

  it('leaves a ledger that refuses work and says where it moved, and can be looked at', async () => {
    await expectRun(['ledger copy', from, 'new.db', '--yes'], 0);
    const moved = /has moved to \S+new\.db .*Nothing was changed\. Work goes on there: export VOXBATCH_LEDGER=/;
    for (const command of ['pause demo', 'tune demo --rate 3', 'stop demo', 'redrive demo', 'clean demo --all --yes'])
      await expectRun(command, 4, { out: '', err: moved });
    await expectRun('doctor', 4, { out: /ledger .*has moved to/ });
    const { stdout } = await run('status demo');
    expect(stdout).toMatch(/1 of 2 rows done[^]*Work goes on there: export VOXBATCH_LEDGER=\S+new\.db\./);
    expect(stdout).not.toContain('voxbatch run');
    await expectRun('list', 0, { out: 'demo' });
    process.env['VOXBATCH_LEDGER'] = 'new.db';
    await expectRun('history demo', 0, { err: `The ledger came here from ${from} (` });
  });

  it('refuses what cannot be one ledger, before anything is changed', async () => {
    await expectRefused(['ledger copy', from, from, '--yes'], 'both are the same ledger');
    await expectRefused(['ledger copy', from, 'mysql://h/db', '--yes'], 'Option TO: expected');
    await expectRun(
      ['ledger copy', 'none.db', 'new.db', '--yes'],
      2,
      /FROM: expected a ledger that is there, but got ".*none\.db"\. Nothing was spent/,
    );
    await expectRun(['ledger copy', from, 'new.db', '--yes'], 0);
    await expectRefused(['ledger copy', from, 'third.db', '--yes'], ['has moved to', 'VOXBATCH_LEDGER']);
    await expectRefused(['ledger copy', 'new.db', from, '--yes'], 'the second one has moved to');
  });

  it('refuses while workers have the ledger, and says how to end them', async () => {
    const unlock = await place.ledger.lockForWorkers('namespace default');
    const held = /Workers of a Temporal server have the ledger .*: namespace default\..*Ctrl-C or SIGTERM/s;
    await expectRefused(['ledger copy', from, 'new.db', '--yes'], held, 4);
    unlock();
  });

  it('moves nothing that does not add up, and names what differs, as a check does', async () => {
    await inside(place.ledger, (db) => db.updateTable('sums').set({ charged: 4 }).execute());
    await expectRefused(['ledger copy', from, 'new.db', '--yes'], 'batch "demo", charged: 3, but 4', 15);
    await expectRun('ledger check', 15, { out: 'batch "demo", charged: 3, but 4' });
    const differences = [{ batch: 'demo', what: 'charged', expected: 3, got: 4 }];
    expect(await json('ledger', 'check')).toMatchObject({ code: 15, value: { differences } });
    await expectRun('status demo', 75);
  });
});
