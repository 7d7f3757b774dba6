import { describe, expect, it } from '@jest/globals';
import type { VoicesRead } from '../../../api/voices/read-voices.ts';
import type { OpenedOccurrence } from '../../../batches/schedules/open-occurrence.ts';
import { freshPlace } from '../../support/place.ts';
import { fireIn } from './fire-in.ts';

const place = freshPlace();
const LIST: VoicesRead = { type: 'read', voices: new Map([['v-1', { id: 'v-1', name: 'Ada', provider: '' }]]) };

/** Fires a schedule on a manifest with this voice, at an API with this list. */
const fire = (voice: string, list: VoicesRead): Promise<OpenedOccurrence> =>
  fireIn(place, { voice, readVoices: async () => list });

describe('openOccurrence', () => {
  it('records the ids of the voices that the manifest names', async () => {
    const opened = await fire('name:ada', LIST);
    if (opened.type !== 'opened') throw new Error(opened.reason);
    expect((await place.ledger.readRow(opened.batch.name, 1))?.row.spec.voice).toBe('v-1');
  });

  it('refuses a name that no voice has, without repeating it', async () => {
    const { type, reason } = (await fire('name:Secret', LIST)) as { readonly type: string; readonly reason?: string };
    expect(type).toBe('refused');
    expect(reason).toContain("line 2: expected a voice of the API's list, by its name");
    expect(reason).not.toContain('Secret');
  });

  it('refuses names where the list cannot be read, and does not care where there are none', async () => {
    const cut: VoicesRead = { type: 'cut', why: 'The API answered 500.', voices: new Map() };
    expect(await fire('name:ada', cut)).toMatchObject({
      type: 'refused',
      reason:
        'The manifest names voices, and the list of voices cannot be read: The API answered 500. Nothing was spent.',
    });
    expect(await fire('v-9', cut)).toMatchObject({ type: 'opened' });
  });
});
