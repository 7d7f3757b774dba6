import { ConfigError, parseConfig } from '../../inputs/config-file.ts';
import { formatDuration } from '../../contract/times.ts';
import { nominalTimeOf } from '../../policy/schedules/due-times.ts';
import { MAX_JITTER_MS, readScheduleSpec, type WrittenSpec } from '../../policy/schedules/schedule-spec.ts';
import type { Chance } from '../chaos/seeded.ts';
import { Finding, requireLength } from './finding.ts';
import { mutate, pick } from './mutate.ts';

const SECRET = 'hunter2';

const CONFIGS = [
  { limits: { rate: 2.5, submits: 4, window: 100, pollRate: null }, budget: 500, halt: 'soon,fail=5%', retakes: 2 },
  { polling: { firstLookMs: 4000, gapMs: 3000, jobDeadlineMinutes: 90 }, trust503: false, confirmAbove: 0 },
  { finish: { loudness: -16, trimSilence: true, sampleRate: 48_000, format: 'opus' }, assumeSeconds: 12.5 },
  { prices: { 'speech-job': { unit: 'character', credits: 0.4, cjkFactor: 2 } }, samples: { files: 3, bytes: 10 } },
  { notify: 'https://hooks.example/x', api: { url: 'https://api.example/api/open/v1' }, store: 'media' },
].map((config) => Buffer.from(JSON.stringify(config)));

/** Addresses that hold a password, however they are spelt. */
const ADDRESSES = [
  `https//user:${SECRET}@hooks.example`,
  `user:${SECRET}@hooks.example`,
  `https:/hooks.example/${SECRET}`,
];

/** A configuration is read, or refused in words; an address in it is never part of the words. */
export async function settings(chance: Chance): Promise<void> {
  let text = mutate(pick(CONFIGS, chance), chance, CONFIGS).toString('latin1');
  if (chance() < 0.2) text = JSON.stringify({ [pick(['notify', 'api'], chance)]: pick(ADDRESSES, chance) });
  try {
    parseConfig(text, 'voxbatch.config.json');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (error.message.includes(SECRET)) throw new Finding(`a refusal tells a password: ${error.message}`);
  }
}

const WRITTEN: Readonly<Record<keyof Omit<WrittenSpec, 'pauseOnFailure' | 'runs'>, readonly string[]>> = {
  every: ['90s', '1h30m', '2w', '52w', '1s'],
  cron: ['*/5 * * * *', '0 0 31 2 *', '30 2,3 * * mon', '59 23 1-31/7 jan-dec *', '@daily'],
  timezone: ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Argentina/Buenos_Aires'],
  jitter: ['0', '1s', '5m', '4w', '5200w'],
  overlap: ['skip', 'buffer-one', 'cancel'],
  catchUp: ['1h', '10s', '52w'],
  until: ['2026-12-31T23:59:59Z', '2026-12-31T23:59+01:00'],
  budgetMonth: ['none', '99.5', '1e9'],
};

/** A schedule is read or refused; then each firing has a time within its jitter. */
export async function schedules(chance: Chance): Promise<void> {
  const written: Record<string, string> = {};
  const times = pick(['every', 'cron'] as const, chance);
  for (const [name, texts] of Object.entries(WRITTEN)) {
    const isTimes = name === 'every' || name === 'cron';
    if (isTimes ? name !== times : chance() < 0.6) continue;
    const all = texts.map((text) => Buffer.from(text));
    const one = pick(all, chance);
    written[name] = (chance() < 0.5 ? one : mutate(one, chance, all)).toString('latin1');
  }
  const read = readScheduleSpec(written);
  if (read.type === 'refused') return;
  const { spec } = read;
  requireLength('the jitter', spec.jitterMs, MAX_JITTER_MS);
  if (formatDuration(spec.catchUpMs) === '') throw new Finding('a catch-up without a length');
  // Looking a month back for a time that never comes takes a while: seldom.
  if (spec.jitterMs > 3_600_000 && chance() < 0.99) return;
  const firesAt = Math.floor(chance() * 4e12);
  const nominal = nominalTimeOf(firesAt, spec);
  const most = spec.times.type === 'every' ? spec.times.everyMs : Math.max(1_000, spec.jitterMs + 1_000);
  requireLength(`how long before ${firesAt} it was scheduled`, firesAt - nominal, most);
}
