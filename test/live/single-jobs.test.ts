/** @slow */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FaultPoint } from '../../activities/fault-points.ts';
import { encodeSilence } from '../../simulator/media/encode-wav.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import type { Ended } from '../support/live-command.ts';
import { LiveWorld } from '../support/live-world.ts';

const AUDIO = 'https://media.example/voice.mp3?seconds=2';

/** A command, and the moments at which it is killed; at each of them it asks for something else. */
interface Attack {
  readonly argsOf: (job: string) => readonly string[];
  readonly moments: readonly FaultPoint[];
  /** Paid requests of one job. Default 1. */
  readonly requests?: number;
}

/** The limit on the length of texts; only the long text is above it. */
const LIMIT = 60;

const ATTACKS = {
  say: {
    argsOf: (job) => ['say', `Good morning, ${job}.`, '--voice', 'narrator'],
    moments: ['after-intent', 'after-verdict', 'before-rename'],
  },
  transcribe: {
    argsOf: (job) => ['transcribe', `${AUDIO}&of=${job}`],
    moments: ['before-intent', 'after-answer'],
  },
  // Killed before the answer, it finds its voice by the name.
  voices: {
    argsOf: (job) => ['voices', 'create', `Ada ${job}`, '--sample', 'ada.wav'],
    moments: ['after-intent', 'after-answer'],
  },
  lipSync: {
    argsOf: (job) => ['lip-sync', `https://media.example/face.mp4?of=${job}`, AUDIO],
    moments: ['before-rename'],
  },
  // Its parts are paid for, and are on record as rows of their own.
  sayLong: {
    argsOf: (job) => [
      ...['say', `One sentence that comes ${job}. Another one that follows it. And the last one of all three.`],
      ...['--voice', 'narrator', '--split', 'sentences'],
    ],
    moments: ['before-join-record'],
    requests: 2,
  },
  saySync: {
    argsOf: (job) => ['say', `At once, ${job}.`, '--voice', 'narrator', '--tts', 'sync'],
    moments: ['after-answer'],
  },
  // By the names of the older paths it is found in their list.
  legacy: {
    argsOf: (job) => ['lip-sync', `https://media.example/face.mp4?of=${job}`, AUDIO, '--api-dialect', 'legacy'],
    moments: ['after-answer'],
  },
} as const satisfies Readonly<Record<string, Attack>>;

describe('single jobs', () => {
  let world: LiveWorld;
  // Each has a home of its own, so that all can be attacked at once.
  let attacked: Readonly<Record<keyof typeof ATTACKS | 'byUp', Promise<void>>>;

  beforeAll(async () => {
    world = await LiveWorld.open({ seed: 24, createMs: [5, 20], jobMs: [100, 300] });
    await world.configure({ textLimit: LIMIT, polling: { firstLookMs: 100, gapMs: 100 } });
    await world.write('ada.wav', Buffer.from(encodeSilence(1)));
    attacked = {
      say: attack('say'),
      sayLong: attack('sayLong'),
      transcribe: attack('transcribe'),
      voices: attack('voices'),
      lipSync: attack('lipSync'),
      saySync: attack('saySync'),
      legacy: attack('legacy'),
      byUp: leaveToUp(),
    };
    // Each is heard of where its test is judged.
    for (const one of Object.values(attacked)) one.catch(() => undefined);
  });

  /** Kills the command, calls it again as it is, and once more: whatever it says, there is one charge. */
  async function attack(name: keyof typeof ATTACKS): Promise<void> {
    const { argsOf, moments, requests = 1 }: Attack = ATTACKS[name];
    for (const moment of moments) {
      const args = [...argsOf(moment), '--json'];
      const env = { VOXBATCH_HOME: world.path(`home-${name}`) };
      const died = await world.run(args, { env, dieAt: `${moment}:1` });
      expect({ moment, signal: died.signal, stderr: died.stderr }).toMatchObject({ signal: 'SIGKILL' });
      const again = await world.run(args, { env });
      const { batch, outcome } = factsOf(again);
      expect({ moment, code: again.code }).toEqual({ moment, code: outcome === 'unknown' ? 13 : 0 });
      // Where the request was never sent, nobody can know that: it stays in doubt, and is not sent later either.
      const charges = moment === 'after-intent' ? [] : Array<number>(requests).fill(1);
      expect({ moment, outcome, charges: chargesOf(batch) }).toEqual({ moment, outcome, charges });
      expect((await world.run(args, { env })).code).toBe(again.code);
      expect({ moment, charges: chargesOf(batch) }).toEqual({ moment, charges });
    }
  }

  /** Leaves one job to an `up`, and another to one that dies while it has it. */
  async function leaveToUp(): Promise<void> {
    const env = { VOXBATCH_HOME: world.path('home-up') };
    const up = await world.startWorking(['up'], { env, dieAt: 'after-verdict:2' });
    const args = (text: string): readonly string[] => ['say', text, '--voice', 'narrator', '--json'];
    const first = await world.run(args('By up.'), { env });
    const second = await world.run(args('Sent by up, fetched here.'), { env });
    expect([first.code, second.code, (await up.ended).signal]).toEqual([0, 0, 'SIGKILL']);
    const ledger = await openLedger(world.path('home-up', 'ledger.db'));
    try {
      for (const ended of [first, second]) {
        const batch = String(factsOf(ended)['batch']);
        expect(chargesOf(batch)).toEqual([1]);
        // Who paid for it: the name of a worker has its pid.
        const owner = (await ledger.readRow(batch, 1))?.charges[0]?.owner;
        expect(owner?.split(' ')).toContain(String(up.child.pid));
      }
    } finally {
      await ledger.close();
    }
  }

  /** How often each key of a job was charged. */
  const chargesOf = (batch: unknown): readonly number[] => [...world.charges(String(batch)).values()];

  function factsOf({ stdout, stderr }: Ended): Readonly<Record<string, unknown>> {
    if (stdout === '') throw new Error(`it printed nothing; it said: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  it('voxbatch say: killed and called again with the same arguments, it is charged once', () => attacked.say);
  it('voxbatch say: killed while it joins the parts of a long text (--split), each part is charged once', () =>
    attacked.sayLong);
  it('voxbatch transcribe: killed and called again with the same arguments, it is charged once', () =>
    attacked.transcribe);
  it('voxbatch voices create: killed and called again with the same arguments, it is charged once', () =>
    attacked.voices);
  it('voxbatch lip-sync: killed and called again with the same arguments, it is charged once', () => attacked.lipSync);
  it('voxbatch say: killed with --tts sync, too, it is charged once', () => attacked.saySync);
  it('voxbatch lip-sync: on the legacy paths, too, killed before the answer counts, it is charged once', () =>
    attacked.legacy);
  it('voxbatch say: an up that is there works for it, and if that dies, the command itself', () => attacked.byUp);
});
