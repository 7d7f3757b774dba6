/** @slow */
import { expect, it } from '@jest/globals';
import { expectWhole, saying } from '../support/batch-end.ts';
import { openCluster } from '../support/cluster.ts';
import { openKeyGate } from '../support/key-gate.ts';
import { certify } from '../support/self-made-ca.ts';
import { settingsOf } from '../support/temporal-place.ts';

const ROWS = 12;
const KEY = 'tmprl-right-key';
const serving = certify('localhost');

it('a cluster that wants an API key is used with TEMPORAL_API_KEY, by worker, run and doctor; another key, or none, is refused in words, and not said', async () => {
  const { world, server } = await openCluster({ seed: 96, rows: ROWS, kinds: ['tts'], jobMs: [200, 400] }, 0);
  const gate = await openKeyGate(server.address, serving.server, KEY);
  await world.write('ca.pem', serving.ca);
  const without = {
    ...settingsOf({ ...server, address: gate.address }),
    TEMPORAL_TLS_SERVER_NAME: 'localhost',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: world.path('ca.pem'),
  };
  const env = { ...without, TEMPORAL_API_KEY: KEY };
  const worker = await world.startWorking(['worker'], { env });
  expect(await world.run(['doctor'], { env })).toMatchObject({ code: 0 });
  expect(await world.run(['run', 'lines.csv'], { env })).toMatchObject({ code: 0 });
  expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ charges: ROWS, unknown: 0 });
  await worker.endInOrder();
  expect(gate.refused).toBe(0);

  const paid = world.charges().size;
  for (const wrong of [{ ...without, TEMPORAL_API_KEY: 'tmprl-wrong-key' }, without]) {
    for (const args of [['worker'], ['run', 'lines.csv', '--name', 'again'], ['doctor']]) {
      const { code, stdout, stderr } = await world.run(args, { env: wrong });
      const words = stdout + stderr;
      const refused = { code: 4, words: saying('refuses this client: Request unauthorized.') };
      expect({ args, code, words }).toEqual({ args, ...refused });
      expect(words).toContain('TEMPORAL_API_KEY');
      expect(words).not.toContain('tmprl-');
    }
  }
  expect(world.charges().size).toBe(paid);
  expect(gate.refused).toBeGreaterThan(0);
});
