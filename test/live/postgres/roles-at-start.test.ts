/** @slow */
import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { openCluster } from '../../support/cluster.ts';
import { saying } from '../../support/batch-end.ts';
import { executeStatements } from '../../support/execute-statements.ts';
import { GRANTS } from '../../support/role-grants.ts';

it('a worker with the role of operators or of readers ends at once, and says which it needs', async () => {
  const base = process.env['TEST_POSTGRES'] ?? '';
  const id = randomUUID().slice(0, 8);
  await executeStatements(base, `create database r${id}`);
  const ledger = new URL(`r${id}`, base);
  await (await openLedger(ledger.href, { makesTables: true })).close();
  const roles = ['operator', 'reader'].map((role) => `create role ${role}_${id} login in role voxbatch_${role}`);
  await executeStatements(ledger.href, GRANTS, ...roles);
  const { world, env } = await openCluster({ seed: 49, rows: 1, kinds: ['tts'], ledger: ledger.href }, 0);
  for (const role of ['operator', 'reader']) {
    ledger.username = `${role}_${id}`;
    const options = { env: { ...env, VOXBATCH_LEDGER: ledger.href } };
    const ended = await world.run(['worker', '--alive-file', 'alive'], options);
    expect(ended).toMatchObject({ code: 4, stderr: saying('voxbatch_worker for a worker') });
    expect(existsSync(world.path('alive'))).toBe(false);
  }
});
