import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { encodeSilence } from '../../simulator/media/encode-wav.ts';
import { waitFor } from '../support/wait-for.ts';
import { readBatchFiles } from './batch-files.ts';
import { checkEnds } from './check-world.ts';
import type { Finding } from './finding.ts';
import { inFolder, type FolderRequest } from './in-folder.ts';
import { COMPLETE, Member } from './member.ts';
import type { ChaosOptions } from './options.ts';
import type { SimulatorJudge } from './simulator-judge.ts';

/** Rows that speak with each voice. */
const ROWS_A_VOICE = 5;
const BATCH = 'voices';

/**
 * A manifest makes voices and uses each in five rows, while the command is killed with its worker and its server, again and
 * again. In the end each voice is there once, each row has its result or is known to be in doubt, and nothing was charged twice.
 */
export async function voices(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { dist, kills, minutes, rows, submits } = options;
  const count = Math.max(1, Math.round(rows / ROWS_A_VOICE));
  const simulation = {
    credits: 10_000_000,
    createMs: [50, 300],
    jobMs: [400, 3_000],
    trainMs: [500, 4_000],
  } satisfies FolderRequest['simulation'];
  return inFolder({ options, say, simulation }, async ({ folder, judge, env }) => {
    await writeManifest(folder, count);
    const run = new Member({
      name: 'run',
      args: ['run', `${BATCH}.csv`, '--yes', '--submits', String(submits)],
      ...{ folder, logs: folder, dist, env },
      isFinal: (code) => COMPLETE.includes(code),
    });
    try {
      run.start();
      const charges = count * (1 + ROWS_A_VOICE);
      for (let kill = 1; kill <= kills; kill++) {
        await waitFor(
          () => judge.charged >= (kill * charges) / (kills + 1) || run.finalCode !== undefined,
          minutes * 60_000,
        );
        await run.kill();
        say(`kill ${String(kill)} of ${String(kills)} at ${String(judge.charged)} charges`);
        run.start();
      }
      await waitFor(() => run.finalCode !== undefined, minutes * 60_000).catch(() => undefined);
      return [
        {
          promise: 'the batch ends by itself',
          broken: run.finalCode === undefined ? ['it does not'] : [],
          seen: `exit ${String(run.finalCode)}`,
        },
        checkEnds(run.ends.map((end) => ({ name: 'run', ...end }))),
        ...(await checkVoices({ folder, judge, count, most: kills * submits })),
      ];
    } finally {
      await run.close();
    }
  });
}

async function writeManifest(folder: string, count: number): Promise<void> {
  await writeFile(join(folder, 'sample.wav'), encodeSilence(1));
  const numbers = Array.from({ length: count }, (_, at) => String(at + 1));
  const lines = [
    'id,name,samples,text,voice',
    ...numbers.map((n) => `v${n},Voice ${n},sample.wav,,`),
    ...numbers.flatMap((n) =>
      Array.from(
        { length: ROWS_A_VOICE },
        (_, at) => `s${n}-${String(at)},,,Line ${String(at)} of ${n}.,name:Voice ${n}`,
      ),
    ),
  ];
  await writeFile(join(folder, `${BATCH}.csv`), `${lines.join('\n')}\n`);
}

/** What the run came to, by the simulator's ledger and the files. `most`: requests that the kills can leave in doubt. */
async function checkVoices(ran: {
  readonly folder: string;
  readonly judge: SimulatorJudge;
  readonly count: number;
  readonly most: number;
}): Promise<readonly Finding[]> {
  const { folder, judge, count, most } = ran;
  const charges = await judge.ledger();
  const { results } = await readBatchFiles(folder, BATCH);
  const made = charges.filter(({ operation }) => operation === 'voice');
  const spoken = charges.filter(({ operation }) => operation !== 'voice');
  const outcomes = new Map<string, number>();
  for (const { _outcome: outcome } of results) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const doubtful = outcomes.get('unknown') ?? 0;
  const done = outcomes.get('succeeded') ?? 0;
  const seen = [...outcomes].map(([outcome, n]) => `${String(n)} ${outcome}`).join(', ');
  const all = count * (1 + ROWS_A_VOICE);
  return [
    {
      promise: `each of the ${String(count)} voices is made once`,
      broken: [
        ...twice(made, ({ name }) => name ?? ''),
        ...(made.length === count ? [] : [`${String(made.length)} were made`]),
      ],
      seen: `${String(made.length)} voices`,
    },
    {
      promise: 'no row is charged twice',
      broken: twice(spoken, ({ text, voiceId }) => `${String(text)} by ${String(voiceId)}`),
      seen: `${String(spoken.length)} charges for speech`,
    },
    {
      promise: 'every row has its result, or is in doubt because of a kill',
      broken:
        done + doubtful === all && doubtful <= most
          ? []
          : [`expected ${String(all)} rows, at most ${String(most)} in doubt`],
      seen,
    },
  ];
}

function twice(charges: readonly LedgerEntry[], nameOf: (charge: LedgerEntry) => string): readonly string[] {
  const seen = new Set<string>();
  return charges.flatMap((charge) => {
    const name = nameOf(charge);
    if (seen.has(name)) return [`${name} was charged twice`];
    seen.add(name);
    return [];
  });
}
