/** @slow */
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { openCluster } from '../support/cluster.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { certify } from '../support/self-made-ca.ts';
import { settingsOf } from '../support/temporal-place.ts';

const ROWS = 12;

const serving = certify('localhost');
const asking = certify('worker.example');
const stranger = certify('worker.example');

/** Stands before a server without TLS, as a cluster with mutual TLS: lets in only whoever has a certificate of the authority. */
async function startGate(address: string): Promise<string> {
  const [host = '', port = ''] = address.split(':');
  const open = new Set<Socket>();
  const rules = { requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
  const gate = createServer({ ...serving.server, ca: asking.ca, ...rules }, (inside) => {
    const outside = connect(Number(port), host);
    for (const socket of [inside, outside]) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          inside.destroy();
          outside.destroy();
        });
    }
    inside.pipe(outside).pipe(inside);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  endAfterTest(async () => {
    const closed = once(gate, 'close');
    gate.close();
    for (const socket of open) socket.destroy();
    await closed;
  });
  return `127.0.0.1:${String((gate.address() as AddressInfo).port)}`;
}

it('a cluster with mutual TLS is used with the standard settings, by worker, run and doctor, and by nobody with another certificate', async () => {
  const { world, server } = await openCluster({ seed: 95, rows: ROWS, kinds: ['tts'], jobMs: [200, 400] }, 0);
  const files = { 'ca.pem': serving.ca, 'cert.pem': asking.server.cert, 'key.pem': asking.server.key };
  for (const [name, text] of Object.entries(files)) await world.write(name, text);
  const env = {
    ...settingsOf({ ...server, address: await startGate(server.address) }),
    TEMPORAL_TLS_SERVER_NAME: 'localhost',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: world.path('ca.pem'),
    TEMPORAL_TLS_CLIENT_CERT_PATH: world.path('cert.pem'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: world.path('key.pem'),
  };
  const worker = await world.startWorking(['worker'], { env });
  expect(await world.run(['doctor'], { env })).toMatchObject({ code: 0 });
  expect(await world.run(['run', 'lines.csv'], { env })).toMatchObject({ code: 0 });
  expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ charges: ROWS, unknown: 0 });
  await worker.endInOrder();

  await world.write('cert.pem', stranger.server.cert);
  await world.write('key.pem', stranger.server.key);
  expect(await world.run(['doctor'], { env })).toMatchObject({ code: 4 });
});
