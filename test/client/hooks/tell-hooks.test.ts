import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { startHookDelivery } from '../../../client/hooks/deliver-notices.ts';
import { aBatch, aKey, aRow, INTENT, open } from '../../ledger/setup.ts';
import { waitFor } from '../../support/wait-for.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

describe('the hooks of a process that is to end', () => {
  const folder = folderForEach();
  let ledger: Ledger;

  beforeEach(async () => {
    ledger = await open(folder());
  });
  afterEach(() => ledger.close());

  /** Loads a batch of one row whose command tells that it has begun, waits until it may go on, and tells that it has ended. */
  async function load(name: string): Promise<void> {
    const at = folder(name);
    const onEnd = `touch "${at}.begun"; until test -e "${folder()}/go"; do sleep 0.05; done; echo ended >> "${at}"`;
    const batch = aBatch();
    const loading = await ledger.createBatch({ ...batch, name, settings: { ...batch.settings, onEnd } });
    await ledger.addRows(loading, [aRow(1)]);
    await ledger.openBatch(loading, 1);
  }

  async function end(name: string): Promise<void> {
    const key = { ...aKey(1), batch: name };
    await ledger.intend(key, INTENT);
    await ledger.settle(key, { verdict: 'rejected' }, { outcome: 'failed' });
    await ledger.closeBatch(name);
  }

  const has = (name: string): Promise<boolean> =>
    readFile(folder(name)).then(
      () => true,
      () => false,
    );

  it('are told of what is under way, and of what ends while the worker does', async () => {
    const said: string[] = [];
    await load('early');
    await load('late');
    const telling = startHookDelivery({ ledger, say: (line) => void said.push(line) });
    await end('early');
    await waitFor(() => has('early.begun'));
    let worked = (): void => undefined;
    const ended = telling.end(new Promise<void>((resolve) => (worked = resolve)));
    await end('late');
    worked();
    await writeFile(folder('go'), '');
    await ended;
    for (const name of ['early', 'late']) {
      expect(await readFile(folder(name), 'utf8')).toBe('ended\n');
      expect(await ledger.noticesOf(name)).toMatchObject([{ endedAt: expect.any(Number), trouble: null }]);
    }
    expect(said).toEqual([]);
  });
});
