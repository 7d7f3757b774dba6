import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { deleteVoice } from '../../../starters/voices/delete.ts';
import { loadSpeaking } from '../../support/load-speaking.ts';
import { aTerminal, expectRefused, expectRun, json, lineForEach, simulate } from '../command-line.ts';

lineForEach();

async function listed(): Promise<readonly string[]> {
  const { value } = await json('voices list');
  return (value as unknown as readonly { readonly id: string }[]).map(({ id }) => id);
}

/** Loads a batch of one row that speaks with a voice, on the account of the simulator. */
async function load(apiUrl: string, voice: string): Promise<void> {
  const { value } = await json('profile');
  const path = join('.voxbatch', 'ledger.db');
  await loadSpeaking(voice, { path, apiUrl, account: String(value['user_id']) });
}

describe('voxbatch voices delete', () => {
  it('voxbatch voices delete: deletes a voice by its id or name, and says so on a repeat', async () => {
    await simulate({ voiceCount: 2 });
    const out = /^Voice Voice 1 \(voice-1, fishaudio\) is deleted\.\n$/;
    await expectRun('voices delete voice-1 --yes', 0, { out, err: 'Nothing was spent.' });
    expect(await listed()).not.toContain('voice-1');
    const again = { voice: 'voice-1', result: 'missing' };
    expect(await json('voices delete voice-1 --yes')).toMatchObject({ code: 0, value: again });
    const { value } = await json('voices delete', 'name:voice 2', '--yes');
    expect(value).toMatchObject({ voice: 'voice-2', result: 'deleted' });
  });

  it.each(['v1', 'legacy'])(
    'refuses a name without name:, and what is no id, and sends nothing (%s)',
    async (dialect) => {
      await simulate({ voiceCount: 2 });
      const flags = ['--yes', '--api-dialect', dialect];
      const nearest = 'The API lists no voice voice 2. The nearest is name:voice 2.';
      await expectRun(['voices delete', 'voice 2', ...flags], 2, nearest);
      for (const id of ['', ' ', '.', '..'])
        await expectRun(['voices delete', id, ...flags], 2, 'is not the id of a voice');
      expect(await listed()).toContain('voice-2');
    },
  );

  it('uses the legacy paths where they are asked for', async () => {
    await simulate({ voiceCount: 2 });
    await expectRun('voices delete voice-1 --yes --api-dialect legacy', 0);
    expect(await listed()).not.toContain('voice-1');
    await expectRun('voices delete x --yes --api-dialect v7', 2);
  });

  it('wants a yes: from a person on a terminal, else by --yes', async () => {
    await simulate({ voiceCount: 2 });
    await expectRun('voices delete voice-1', 3, 'Add --yes');
    await expectRun('voices delete name:Nobody', 2, 'The API lists no voice name:Nobody.');
    const { output, lines } = aTerminal();
    const answer = (isYes: boolean): Promise<string> =>
      deleteVoice('voice-1', {}, { output }, () => Promise.resolve(isYes));
    await expect(answer(false)).rejects.toThrow('Not confirmed');
    expect(lines.err).toContain('Voice Voice 1 (voice-1, fishaudio) of account user_');
    expect(await listed()).toContain('voice-1');
    expect(await answer(true)).toBe('complete');
  });

  it('refuses while an open batch of this ledger needs the voice, before anybody is asked', async () => {
    const { url } = await simulate({ voiceCount: 2 });
    await load(url, 'voice-1');
    const words = 'Voice Voice 1 (voice-1, fishaudio) is needed by batch "lines" (1 row).';
    await expectRun('voices delete voice-1 --yes', 3, words);
    const ask = (): Promise<boolean> => Promise.reject(new Error('asked'));
    await expect(deleteVoice('name:Voice 1', {}, aTerminal(), ask)).rejects.toThrow(words);
    expect(await listed()).toContain('voice-1');
  });

  it('deletes nothing while the list of voices cannot be read, for it may be a name', async () => {
    await simulate({ plan: { rules: [{ on: 'list', fault: { kind: 'status', status: 404 } }] } });
    const why = /does not list its voices: .* Nothing was deleted\. Nothing was spent\./u;
    await expectRefused('voices delete voice-1 --yes', why, 4);
  });

  it('says what the API refuses, and what it cannot tell', async () => {
    const plan = { rules: [{ on: 'delete', match: { text: 'voice-2' }, fault: 'reset-before' }] } as const;
    await simulate({ voiceCount: 2, plan: { rules: [...plan.rules] } });
    await expectRun('voices delete narrator --yes', 10, { out: 'The API refused it: ' });
    const value = { result: 'not-deleted', voice: 'voice-2' };
    expect(await json('voices delete voice-2 --yes')).toMatchObject({ code: 10, value });
  });
});
