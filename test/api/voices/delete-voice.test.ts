import { describe, expect, it } from '@jest/globals';
import { createSpeechApi } from '../../../api/create-api.ts';
import type { SpeechApi } from '../../../api/speech-api.ts';
import { DIALECTS, type Dialect } from '../../../contract/dialects.ts';
import type { SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { openSimulator, type Client } from '../../simulator/with-simulator.ts';
import { always, clientOf, serve, TOKEN } from '../../support/api-server.ts';

const OURS: SimulatorOptions = { voiceCount: 2 };

async function using<T>(
  options: SimulatorOptions & { readonly dialect?: Dialect },
  use: (api: SpeechApi, client: Client) => Promise<T>,
): Promise<T> {
  const { dialect = 'v1', ...rest } = options;
  const client = await openSimulator(rest);
  const api = createSpeechApi({ baseUrl: client.simulator.url, token: client.simulator.token, dialect });
  try {
    return await use(api, client);
  } finally {
    api.close();
  }
}

async function left({ origin }: Client): Promise<unknown> {
  return (await origin('GET', '/__simulator/voices')).json;
}

describe('deleting a voice', () => {
  it.each(['empty', 'message', 'no-content'])(
    'DELETE /voices/{voiceId}: deletes the voice, and takes an answer like "%s" for a yes',
    async (shape) => {
      await using({ ...OURS, shape: `voice.deleted=${shape}` }, async (api, client) => {
        expect(await api.deleteVoice('voice-1')).toBe('deleted');
        expect(await left(client)).not.toContain('voice-1');
        expect(await left(client)).toContain('voice-2');
        expect(client.simulator.ledger()).toEqual([]);
      });
    },
  );

  it('POST /api/open/delete-model: deletes the voice, named in the body alone', async () => {
    await using({ ...OURS, dialect: 'legacy' }, async (api, client) => {
      expect(await api.deleteVoice('voice-1')).toBe('deleted');
      expect(await left(client)).not.toContain('voice-1');
    });
    const server = await serve(always(200, { modelId: 'm', message: 'Model deleted' }));
    await clientOf(server.origin, { dialect: 'legacy' }).deleteVoice('m');
    expect(server.seen).toMatchObject([{ method: 'POST', url: '/api/open/delete-model', body: '{"modelId":"m"}' }]);
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it.each(DIALECTS)('says that the API has no such voice (%s), and what it refuses', async (dialect) => {
    await using({ ...OURS, dialect }, async (api) => {
      await api.deleteVoice('voice-1');
      expect(await api.deleteVoice('voice-1')).toBe('missing');
      await expect(api.deleteVoice('narrator')).rejects.toMatchObject({
        failure: { class: 'BadRequest', status: 403 },
      });
    });
  });

  it('DELETE /voices/{voiceId}: writes an id into the path as it is, whatever is in it, and sends no body', async () => {
    const server = await serve(always(204, ''));
    await clientOf(server.origin).deleteVoice('a/../b?c');
    expect(server.seen).toMatchObject([{ method: 'DELETE', url: '/api/open/v1/voices/a%2F..%2Fb%3Fc', body: '' }]);
  });

  it.each([
    ['a page for a 404', 404, '<html>Not found</html>', 'BadRequest'],
    ['a page for a 200', 200, '<html>Welcome</html>', 'ServiceDown'],
    ['an error for a 200', 200, { success: false, message: 'busy' }, 'BadRequest'],
    ['a 500', 500, { error: 'oops' }, 'ServiceDown'],
    ['a 429', 429, { error: 'slow down' }, 'RateLimited'],
  ])('takes %s for no deletion', async (_what, status, body, name) => {
    const server = await serve(always(status, body));
    await expect(clientOf(server.origin).deleteVoice('v')).rejects.toMatchObject({ failure: { class: name } });
    expect(server.seen).toHaveLength(1);
  });
});
