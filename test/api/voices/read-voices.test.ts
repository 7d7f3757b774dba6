import { describe, expect, it } from '@jest/globals';
import { readVoices, readVoicesIn, type VoicesWanted } from '../../../api/voices/read-voices.ts';
import { ApiError, type SpeechApi, type Voice } from '../../../api/speech-api.ts';
import type { Dialect } from '../../../contract/dialects.ts';
import type { FailureClass } from '../../../contract/failures.ts';

const WANTED: VoicesWanted = { ids: undefined, patienceMs: 60_000, tries: 3 };
const voices: readonly Voice[] = ['a', 'b', 'c'].map((id) => ({ id, name: id, provider: '' }));

/** A list that fails this often, each time after its first voice; counts voices that were read. */
function listOf(failures: readonly FailureClass[]): Pick<SpeechApi, 'listVoices'> & { read: number } {
  const left = [...failures];
  const list = {
    read: 0,
    async *listVoices(): AsyncGenerator<Voice> {
      const failure = left.shift();
      for (const voice of voices) {
        list.read += 1;
        yield await Promise.resolve(voice);
        if (failure !== undefined) throw new ApiError({ class: failure, message: `No: ${failure}.`, retryAfterMs: 1 });
      }
    },
  };
  return list;
}

describe('readVoices', () => {
  it('reads the list to its end', async () => {
    expect(await readVoices(listOf([]), WANTED)).toEqual({
      type: 'read',
      voices: new Map(voices.map((voice) => [voice.id, voice])),
    });
  });

  it('stops where it has all that it looks for', async () => {
    const list = listOf([]);
    await readVoices(list, { ...WANTED, ids: new Set(['b']) });
    expect(list.read).toBe(2);
  });

  it('begins again after a failure that heals', async () => {
    const list = listOf(['ServiceDown', 'RateLimited']);
    expect(await readVoices(list, WANTED)).toMatchObject({ type: 'read' });
    expect(list.read).toBe(5);
  });

  it('gives up after so many tries, and at once where none would help', async () => {
    const down = listOf(['ServiceDown', 'ServiceDown', 'ServiceDown', 'ServiceDown']);
    expect(await readVoices(down, WANTED)).toMatchObject({ type: 'cut', why: 'No: ServiceDown.' });
    expect(down.read).toBe(3);
    const refused = listOf(['BadToken']);
    expect(await readVoices(refused, WANTED)).toMatchObject({ type: 'cut', why: 'No: BadToken.' });
    expect(refused.read).toBe(1);
  });

  it('ends with its patience', async () => {
    const never: Pick<SpeechApi, 'listVoices'> = {
      // eslint-disable-next-line require-yield -- it never comes to that
      async *listVoices(_search, signal) {
        await new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            reject(new ApiError({ class: 'NotSent', message: 'Aborted.' }));
          });
        });
      },
    };
    expect(await readVoices(never, { ...WANTED, patienceMs: 20 })).toEqual({
      type: 'cut',
      why: 'it takes longer than 0.02 s.',
      voices: new Map(),
    });
  });

  it('keeps what it read of a list that it could not read to its end', async () => {
    const { voices: known } = await readVoices(listOf(['BadToken']), WANTED);
    expect([...known.keys()]).toEqual(['a']);
  });

  it('does not count the time in which a request waits for its turn', async () => {
    const gate = { open: (): void => undefined };
    const turn = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    const list: Pick<SpeechApi, 'listVoices'> = {
      async *listVoices({ inTurn } = {}, signal) {
        yield* (await inTurn?.(() => Promise.resolve(signal?.aborted === true ? [] : voices))) ?? [];
      },
    };
    const reading = readVoices(list, {
      ...WANTED,
      patienceMs: 5,
      inTurn: async (read) => {
        await turn;
        return read();
      },
    });
    // Longer than its patience, as any timer set after that of five milliseconds would show.
    await new Promise((resolve) => setTimeout(resolve, 20));
    gate.open();
    expect(await reading).toMatchObject({ type: 'read', voices: { size: 3 } });
  });
});

describe('readVoicesIn', () => {
  const trained: Voice = { id: 'b', name: 'B of v1', provider: 'p', isInTraining: true };

  /** An API whose older paths list a, b and c, and whose current ones b, or nothing at all. */
  function apiOf(current: readonly Voice[] | undefined): Pick<SpeechApi, 'speaking'> & { asked: Dialect[] } {
    const asked: Dialect[] = [];
    const lists: Readonly<Record<Dialect, Pick<SpeechApi, 'listVoices'>>> = {
      legacy: listOf([]),
      v1: {
        async *listVoices() {
          await Promise.resolve();
          if (current === undefined) throw new ApiError({ class: 'ServiceDown', message: 'No.' });
          yield* current;
        },
      },
    };
    const speaking = (dialect: Dialect): SpeechApi => {
      asked.push(dialect);
      return lists[dialect] as SpeechApi;
    };
    return { asked, speaking };
  }

  it('takes ids and names from the paths that are meant, and the training from the current ones', async () => {
    const api = apiOf([trained]);
    const read = await readVoicesIn(api, 'legacy', WANTED);
    const expected = voices.map((voice) => [voice.id, voice.id === 'b' ? { ...voice, isInTraining: true } : voice]);
    expect(read).toEqual({ type: 'read', voices: new Map(expected as [string, Voice][]) });
    expect(api.asked).toEqual(['legacy', 'v1']);
  });

  it('is content without the current paths, and asks them once where they are meant', async () => {
    expect(await readVoicesIn(apiOf(undefined), 'legacy', WANTED)).toMatchObject({ type: 'read' });
    const api = apiOf([trained]);
    expect(await readVoicesIn(api, 'v1', WANTED)).toEqual({ type: 'read', voices: new Map([['b', trained]]) });
    expect(api.asked).toEqual(['v1']);
  });
});
