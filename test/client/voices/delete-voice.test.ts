import { describe, expect, it } from '@jest/globals';
import { createSpeechApi } from '../../../api/create-api.ts';
import { deleteVoice, voiceToDelete, type Deletion, type DeleteRequest } from '../../../client/voices/delete-voice.ts';
import type { SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { openSimulator } from '../../simulator/with-simulator.ts';

type Voice = DeleteRequest['voice'];
type Rules = NonNullable<SimulatorOptions['plan']>['rules'];

const OWN: Voice = { id: 'voice-1', name: 'Voice 1' };

/** Deletes a voice at an API with these faults. `isThere`: whether it is there afterwards. */
async function end(rules: Rules, voice: Voice = OWN): Promise<Deletion & { readonly isThere: boolean }> {
  const plan = { rules: rules ?? [] };
  const { simulator, origin } = await openSimulator({ voiceCount: 2, plan });
  const api = createSpeechApi({ baseUrl: simulator.url, token: simulator.token });
  try {
    const became = await deleteVoice({ api, account: { apiUrl: api.baseUrl, account: 'u' }, ledger: undefined, voice });
    const there = (await origin('GET', '/__simulator/voices')).json as readonly string[];
    expect(simulator.ledger()).toEqual([]);
    return { ...became, isThere: there.includes(voice.id) };
  } finally {
    api.close();
  }
}

describe('the deletion of a voice', () => {
  it.each([
    ['reset-after', { type: 'deleted', isThere: false }],
    ['accept-then-500', { type: 'deleted', isThere: false }],
    ['reset-before', { type: 'deleted', isThere: false }],
  ] as const)('whose answer is lost (%s) is looked for in the list, or made again', async (fault, expected) => {
    expect(await end([{ on: 'delete', fault, times: 1 }])).toMatchObject(expected);
  });

  it('whose answer was lost is done if a repeat finds no voice, where the list is lost too', async () => {
    const rules: Rules = [
      { on: 'delete', fault: 'reset-after', times: 1 },
      { on: 'list', fault: { kind: 'status', status: 404 }, times: 1 },
    ];
    expect(await end(rules)).toEqual({ type: 'deleted', isThere: false });
  });

  it('is not said to be done while the list shows the voice', async () => {
    expect(await end([{ on: 'delete', fault: 'reset-before' }])).toMatchObject({ type: 'not-deleted', isThere: true });
  });

  it('is unsure without an answer and without a list, and for a voice that the list never had', async () => {
    const lost = { on: 'delete', fault: 'reset-before' } as const;
    expect(await end([lost, { on: 'list', fault: { kind: 'status', status: 404 } }])).toMatchObject({ type: 'unsure' });
    expect(await end([lost], { id: 'nowhere', name: undefined })).toMatchObject({ type: 'unsure' });
  });

  it('that the API refuses is not asked for again', async () => {
    const refused = await end([{ on: 'delete', fault: { kind: 'status', status: 409 }, times: 1 }]);
    expect(refused).toMatchObject({ type: 'refused', failure: { status: 409 }, isThere: true });
  });
});

it.each(['Voice 1', 'name:Voice 1', 'voice-1'])(
  'the voice that is to be deleted is not known while the list cannot be read: %s',
  async (asked) => {
    const rules: Rules = [{ on: 'list', fault: { kind: 'status', status: 404 } }];
    const { simulator } = await openSimulator({ voiceCount: 2, plan: { rules } });
    const api = createSpeechApi({ baseUrl: simulator.url, token: simulator.token });
    expect(await voiceToDelete(api, asked)).toMatchObject({ type: 'unread' });
    api.close();
  },
);
