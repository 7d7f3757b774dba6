import { expect } from '@jest/globals';
import { rm } from 'node:fs/promises';
import type { LiveWorld } from './live-world.ts';

/** Deletes the ledger of a world, with all that stands beside it. */
export async function loseLedger(world: LiveWorld): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(world.path('.voxbatch', `ledger.db${suffix}`), { force: true });
}

/**
 * Loses the ledger, and these paths of the world, and brings the ledger back from the backup `copy`: accepted, and compared with the
 * store unless `compares` is false.
 */
export async function restoreBackup(
  world: LiveWorld,
  { lost = [], compares = true }: { readonly lost?: readonly string[]; readonly compares?: boolean } = {},
): Promise<void> {
  await loseLedger(world);
  for (const path of lost) await rm(world.path(path), { recursive: true });
  await world.withoutServer(async () => {
    expect(await world.run(['restore', 'copy'])).toMatchObject({ code: 0 });
  });
  for (const command of ['trust', 'ledger accept-copy', ...(compares ? ['ledger compare-store'] : [])])
    expect([command, await world.run(command.split(' '))]).toMatchObject([command, { code: 0 }]);
}
