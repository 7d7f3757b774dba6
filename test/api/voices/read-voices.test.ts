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
  it.each<[string, readonly FailureClass[], ReadonlySet<string> | undefined, object, number]>([
    ['to its end', [], undefined, { type: 'read', voices: new Map(voices.map((one) => [one.id, one])) }, 3],
    ['until it has all that it looks for', [], new Set(['b']), { type: 'read' }, 2],
    ['again after a failure that heals', ['ServiceDown', 'RateLimited'], undefined, { type: 'read' }, 5],
    ['only so many times', Array(4).fill('ServiceDown'), undefined, { type: 'cut', why: 'No: ServiceDown.' }, 3],
    ['once where no try would help', ['BadToken'], undefined, { type: 'cut', why: 'No: BadToken.' }, 1],
  ])('reads the list %s', async (_, failures, ids, expected, read) => {
    const list = listOf(failures);
    expect(await readVoices(list, { ...WANTED, ids })).toMatchObject(expected);
    expect(list.read).toBe(read);
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
