import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { deleteVoice } from '../../../starters/voices/delete.ts';
import { aBatch, aRow } from '../../ledger/setup.ts';
import { capture, openCommandLine, type CommandLine, run, json } from '../command-line.ts';

let line: CommandLine;
let simulator: Simulator | undefined;
beforeEach(async () => {
  line = await openCommandLine();
});
afterEach(async () => {
  await line.close();
  await simulator?.close();
});

async function start(options: SimulatorOptions = {}): Promise<void> {
  simulator = await startSimulator({ voiceCount: 2, ...options });
  Object.assign(process.env, { VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: simulator.token });
}

async function listed(): Promise<readonly string[]> {
  const { value } = await json('voices', 'list', '--json');
  return (value as unknown as readonly { readonly id: string }[]).map(({ id }) => id);
}

/** Loads a batch of one row that speaks with a voice, on the account of the simulator. */
async function load(voice: string): Promise<void> {
  const { value } = await json('profile', '--json');
  const ledger = await openLedger(join(line.folder, '.voxbatch', 'ledger.db'));
  const row = aRow(1);
  await ledger.createBatch({ ...aBatch('lines'), apiUrl: simulator?.url ?? '', account: String(value['user_id']) });
  await ledger.addRows('lines', [{ ...row, spec: { ...row.spec, voice } }]);
  await ledger.openBatch('lines', 1);
  await ledger.close();
}

describe('voxbatch voices delete', () => {
  it('voxbatch voices delete: deletes a voice by its id or name, and says so on a repeat', async () => {
    await start();
    const first = await run('voices', 'delete', 'voice-1', '--yes');
    expect(first).toMatchObject({ code: 0, stdout: 'Voice Voice 1 (voice-1, fishaudio) is deleted.\n' });
    expect(first.stderr).toContain('Nothing was spent.');
    expect(await listed()).not.toContain('voice-1');
    const again = await json('voices', 'delete', 'voice-1', '--yes', '--json');
    expect(again).toMatchObject({ code: 0, value: { voice: 'voice-1', result: 'missing' } });
    const { value } = await json('voices', 'delete', 'name:voice 2', '--yes', '--json');
    expect(value).toMatchObject({ voice: 'voice-2', result: 'deleted' });
    expect(simulator?.ledger()).toEqual([]);
  });

  it.each(['v1', 'legacy'])(
    'refuses a name without name:, and what is no id, and sends nothing (%s)',
    async (dialect) => {
      await start();
      const named = await run('voices', 'delete', 'voice 2', '--yes', '--api-dialect', dialect);
      expect({ code: named.code, stderr: named.stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('The API lists no voice voice 2. The nearest is name:voice 2.'),
      });
      for (const id of ['', ' ', '.', '..']) {
        const { code, stderr } = await run('voices', 'delete', id, '--yes', '--api-dialect', dialect);
        expect({ code, stderr }).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('is not the id of a voice'),
        });
      }
      expect(await listed()).toContain('voice-2');
    },
  );

  it('uses the legacy paths where they are asked for', async () => {
    await start();
    const { code } = await run('voices', 'delete', 'voice-1', '--yes', '--api-dialect', 'legacy');
    expect(code).toBe(0);
    expect(await listed()).not.toContain('voice-1');
    expect((await run('voices', 'delete', 'x', '--yes', '--api-dialect', 'v7')).code).toBe(2);
  });

  it('wants a yes: from a person on a terminal, else by --yes', async () => {
    await start();
    const { code, stderr } = await run('voices', 'delete', 'voice-1');
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('Add --yes') });
    const wrong = await run('voices', 'delete', 'name:Nobody');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('The API lists no voice name:Nobody.') });
    const words = { out: '', err: '' };
    const output = { ...capture(words), isInteractive: true };
    await expect(deleteVoice('voice-1', {}, { output }, () => Promise.resolve(false))).rejects.toThrow('Not confirmed');
    expect(words.err).toContain('Voice Voice 1 (voice-1, fishaudio) of account user_');
    expect(await listed()).toContain('voice-1');
    expect(await deleteVoice('voice-1', {}, { output }, () => Promise.resolve(true))).toBe('complete');
  });

  it('refuses while an open batch of this ledger needs the voice, before anybody is asked', async () => {
    await start();
    await load('voice-1');
    const words = 'Voice Voice 1 (voice-1, fishaudio) is needed by batch "lines" (1 row).';
    const { code, stderr } = await run('voices', 'delete', 'voice-1', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining(words) });
    const output = { ...capture({ out: '', err: '' }), isInteractive: true };
    const ask = (): Promise<boolean> => Promise.reject(new Error('asked'));
    await expect(deleteVoice('name:Voice 1', {}, { output }, ask)).rejects.toThrow(words);
    expect(await listed()).toContain('voice-1');
  });

  it('deletes nothing while the list of voices cannot be read, for it may be a name', async () => {
    await start({ plan: { rules: [{ on: 'list', fault: { kind: 'status', status: 404 } }] } });
    const { code, stderr } = await run('voices', 'delete', 'voice-1', '--yes');
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/does not list its voices: .* Nothing was deleted\. Nothing was spent\./u),
    });
  });

  it('says what the API refuses, and what it cannot tell', async () => {
    await start({ plan: { rules: [{ on: 'delete', match: { text: 'voice-2' }, fault: 'reset-before' }] } });
    const theirs = await run('voices', 'delete', 'narrator', '--yes');
    expect(theirs).toMatchObject({ code: 10, stdout: expect.stringContaining('The API refused it: ') });
    const lost = await json('voices', 'delete', 'voice-2', '--yes', '--json');
    expect(lost).toMatchObject({ code: 10, value: { result: 'not_deleted', voice: 'voice-2' } });
    const unknown = await run('voices', 'delete', 'name:Nobody', '--yes');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('The API lists no voice name:Nobody.') });
  });
});
