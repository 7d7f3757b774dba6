import { describe, expect, it } from '@jest/globals';
import { ApiError, type VoiceFilter } from '../../../api/speech-api.ts';
import { listVoices } from '../../../client/voices/find-voice.ts';

const ADA = { id: 'ada', name: 'Ada', provider: 'fishaudio' };

describe('the list of voices', () => {
  it('is read whole, and names the filters that the API ignored', async () => {
    const api = {
      async *listVoices({ onIgnored }: VoiceFilter = {}) {
        yield ADA;
        onIgnored?.('provider');
      },
    };
    const list = await listVoices(api, { provider: 'fishaudio' });
    expect(list).toEqual({ type: 'listed', voices: [ADA], filteredHere: ['provider'] });
  });

  it('is unread if it breaks off', async () => {
    const api = {
      async *listVoices() {
        yield ADA;
        throw new ApiError({ class: 'ServiceDown', message: 'It is down.' });
      },
    };
    expect(await listVoices(api, {})).toEqual({ type: 'unread', why: 'It is down.' });
  });
});
