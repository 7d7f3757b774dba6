/** @slow */
import { expect, it } from '@jest/globals';
import { openLedger } from '../../ledger/open-ledger.ts';
import { expectWhole, saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 80;
it('up as a service says when it is ready, is alone in its home, and stops in order on SIGTERM: nothing is left on the wire', async () => {
  const world = await LiveWorld.open({
    ...{ seed: 61, createMs: [200, 400], jobMs: [300, 900] },
    rows: ROWS,
    kinds: ['tts'],
  });
  const up = world.start(['up', '--log', 'json', '--verbose']);
  expect(await world.run(['up', '--wait', '10m'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  await up.said('Working for account');
  expect(await world.run(['up'])).toMatchObject({ code: 75, stderr: saying(`process ${String(up.child.pid)}`) });
  expect(await world.run(['up', '--unless-running'])).toMatchObject({ code: 0, stderr: '' });

  const run = world.start(['run', 'lines.csv', '--rate', '12']);
  await world.untilCharged(10);
  // The service is left with the batch, and with requests on the wire.
  await run.kill();
  await world.untilCharged(30);
  up.child.kill('SIGTERM');
  const { code, stdout, stderr } = await up.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(world.processes()).toEqual([]);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(
    lines.every(({ time, level, msg }) => typeof time === 'number' && typeof level === 'number' && msg !== ''),
  ).toBe(true);
  expect(lines.map(({ msg }) => msg)).toContain('Finishing the requests in flight …');
  for (const secret of [world.simulator.token, 'Line number']) expect(stderr).not.toContain(secret);
  expect(await world.run(['up', '--wait', '1s'])).toMatchObject({ code: 4 });

  // The killed command has left some; nobody has had the time to take them over.
  const senders = new Set<string | undefined>();
  const ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
  for await (const { charges } of ledger.scanRows('lines'))
    for (const { state, owner } of charges) if (state === 'sending') senders.add(owner.split(' ')[1]);
  await ledger.close();
  expect([...senders]).not.toContain(String(up.child.pid));
  expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: expect.any(Number) });
  await expectWhole(world, 'lines', ROWS);
});
