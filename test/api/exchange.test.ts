import { expect, it, jest } from '@jest/globals';
import type { Network } from '../../api/network.ts';
import { always, clientOf, serve, SPEECH_JOB } from '../support/api-server.ts';

it('a process that stood still while the connection was made does not send a paid request, which others have taken for lost by now', async () => {
  const server = await serve(always(202, { id: 't1' }));
  const clock = jest.spyOn(Date, 'now');
  try {
    const frozen: Network = {
      isPrivate: () => true,
      lookup: (_host, options, callback) => {
        const resumed = Date.now() + 60_000;
        clock.mockImplementation(() => resumed);
        if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
        else callback(null, '127.0.0.1', 4);
      },
    };
    const api = clientOf(server.origin.replace('127.0.0.1', 'api.invalid'), { network: frozen, allowHttp: true });
    expect(await api.send(SPEECH_JOB, {})).toMatchObject({ verdict: 'not-accepted', failure: { class: 'NotSent' } });
    expect(server.seen).toEqual([]);
  } finally {
    clock.mockRestore();
  }
  expect(await clientOf(server.origin).send(SPEECH_JOB, {})).toMatchObject({ verdict: 'accepted' });
});
