import { expect, it } from '@jest/globals';
import { notifyWorkers } from '../../../client/control/control-batch.ts';
import { settingsOf } from '../../../client/read-options.ts';
import { fill, ledgerForEachTest, ledger } from '../../ledger/setup.ts';
import { serveRaw } from '../../support/api-server.ts';

ledgerForEachTest(() => fill(ledger, 1));

it('says that it waits for a Temporal that stays silent, and that the workers could not be told once that is known', async () => {
  // Takes connections, and says nothing.
  const server = await serveRaw(() => undefined);
  const settings = settingsOf({ home: '/nowhere', temporal: { address: `127.0.0.1:${server.port}` } });
  const said: string[] = [];
  const telling = notifyWorkers({
    settings,
    ledger,
    batch: 'b',
    say: (line) => {
      said.push(line);
      void server.close();
    },
  });
  await expect(telling).rejects.toMatchObject({
    problem: { type: 'not-notified', cause: { problem: { type: 'no-cluster' } } },
  });
  expect(said).toEqual(['It is recorded. Waiting for Temporal, to notify the workers …']);
});
