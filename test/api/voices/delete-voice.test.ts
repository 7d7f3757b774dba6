import { describe, expect, it } from '@jest/globals';
import { DIALECTS, type Dialect } from '../../../contract/dialects.ts';
import type { SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { openSimulator, type Client } from '../../simulator/with-simulator.ts';
import { always, clientOf, serve, TOKEN } from '../../support/api-server.ts';

async function using({ dialect = 'v1', ...more }: SimulatorOptions & { readonly dialect?: Dialect }) {
  const client = await openSimulator({ voiceCount: 2, ...more });
  const { url, token } = client.simulator;
  return { client, api: clientOf(new URL(url).origin, { token, dialect }) };
}

const left = async ({ origin }: Client): Promise<unknown> => (await origin('GET', '/__simulator/voices')).json;

describe('deleting a voice', () => {
  it.each(['empty', 'message', 'no-content'])(
    'DELETE /voices/{voiceId}: deletes the voice, and takes an answer like "%s" for a yes',
    async (shape) => {
      const { api, client } = await using({ shape: `voice.deleted=${shape}` });
      expect(await api.deleteVoice('voice-1')).toBe('deleted');
      expect(await left(client)).not.toContain('voice-1');
      expect(await left(client)).toContain('voice-2');
      expect(client.simulator.ledger()).toEqual([]);
    },
  );

  it('POST /api/open/delete-model: deletes the voice, named in the body alone', async () => {
    const { api, client } = await using({ dialect: 'legacy' });
    expect(await api.deleteVoice('voice-1')).toBe('deleted');
    expect(await left(client)).not.toContain('voice-1');
    const server = await serve(always(200, { modelId: 'm', message: 'Model deleted' }));
    await clientOf(server.origin, { dialect: 'legacy' }).deleteVoice('m');
    expect(server.seen).toMatchObject([{ method: 'POST', url: '/api/open/delete-model', body: '{"modelId":"m"}' }]);
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it.each(DIALECTS)('says that the API has no such voice (%s), and what it refuses', async (dialect) => {
    const { api } = await using({ dialect });
    await api.deleteVoice('voice-1');
    expect(await api.deleteVoice('voice-1')).toBe('missing');
    await expect(api.deleteVoice('narrator')).rejects.toMatchObject({
      failure: { class: 'BadRequest', status: 403 },
    });
  });

  it('DELETE /voices/{voiceId}: writes an id into the path as it is, whatever is in it, and sends no body', async () => {
    const server = await serve(always(204, ''));
    await clientOf(server.origin).deleteVoice('a/../b?c');
    expect(server.seen).toMatchObject([{ method: 'DELETE', url: '/api/open/v1/voices/a%2F..%2Fb%3Fc', body: '' }]);
  });
});
