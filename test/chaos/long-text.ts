import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '../support/wait-for.ts';
import { checkLongText, LONG_TEXT, type PartStanding } from './check-long-text.ts';
import { checkEnds } from './check-world.ts';
import type { Finding } from './finding.ts';
import { inFolder, type FolderRequest } from './in-folder.ts';
import { runToEnd, type RunEnd } from './killed-run.ts';
import { COMPLETE, Member } from './member.ts';
import type { ChaosOptions } from './options.ts';
import { killAllIn } from './processes-in.ts';
import { pick, seeded, type Chance } from './seeded.ts';

const { batch: BATCH, row: ROW } = LONG_TEXT;
const CHARACTERS = 200_000;
const WORDS = [
  'harbour',
  'lantern',
  'winter',
  'a',
  'quiet',
  'boat',
  'and',
  'never',
  'the',
  'old',
  'keeper',
  'said',
] as const;
const FAILS = 'Here the provider fails.';
const LOST = 'Here the answer is lost.';
/** Paid requests before the kill: about half of the parts. */
const KILL_AT = 50;

/**
 * One row with a text of 200,000 characters: one part fails, the answer for one is lost, and the command is killed with its worker and its
 * server. Then only the failed part is sent again, and after that, when that is asked for, what is in doubt.
 */
export async function longText(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const { dist, minutes, seed, submits } = options;
  const text = writeText(seeded(seed));
  const faults = [
    { on: 'create', match: { text: FAILS }, fault: 'job-fails', times: 1 },
    { on: 'create', match: { text: LOST }, fault: 'reset-after', times: 1 },
  ] as const;
  const simulation = {
    credits: 100_000_000,
    createMs: [50, 300],
    jobMs: [200, 1_500],
    plan: { rules: [...faults] },
  } satisfies FolderRequest['simulation'];
  return inFolder({ options, say, simulation }, async ({ folder, judge, env }) => {
    await writeFile(join(folder, `${BATCH}.csv`), `id,text,voice\n${ROW},"${text}",narrator\n`);
    await writeFile(
      join(folder, 'voxbatch.config.json'),
      JSON.stringify({ polling: { firstLookMs: 200, gapMs: 200 } }),
    );
    const command = (...args: readonly string[]): Promise<RunEnd> => runToEnd({ dist, folder, env, args });
    const run = new Member({
      name: 'run',
      args: ['run', `${BATCH}.csv`, '--split', 'sentences', '--yes', '--halt', 'never', '--submits', String(submits)],
      ...{ folder, logs: folder, dist, env },
      isFinal: (code) => COMPLETE.includes(code),
    });
    const partsNow = async (): Promise<readonly PartStanding[]> =>
      (JSON.parse((await command('explain', ROW, BATCH, '--json')).stdout) as { parts: PartStanding[] }).parts;
    try {
      run.start();
      await waitFor(() => judge.charged >= KILL_AT || run.finalCode !== undefined, minutes * 60_000);
      const wasRunning = run.isUp;
      await run.kill();
      await killAllIn(folder);
      say(`killed with its server at ${String(judge.charged)} charges`);
      run.start();
      await waitFor(() => run.finalCode !== undefined, minutes * 60_000);
      const first = { code: run.finalCode ?? null, parts: await partsNow(), charges: await judge.ledger() };
      say(`${String(first.parts.length)} parts, ${String(first.charges.length)} charges, exit ${String(first.code)}`);

      const failed = first.parts.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
      const redrive = await command('redrive', BATCH, '--rows', failed.join(','), '--yes');
      const second = { code: redrive.code, parts: await partsNow(), charges: await judge.ledger() };
      say(`the failed one again: ${String(second.charges.length)} charges, exit ${String(second.code)}`);

      const resubmit = await command('redrive', BATCH, '--rows', ROW, '--resubmit', '--yes');
      const third = { code: resubmit.code, parts: await partsNow(), charges: await judge.ledger() };
      say(`the doubtful ones again: ${String(third.charges.length)} charges, exit ${String(third.code)}`);

      const findings = [
        { promise: 'the command is killed in the middle', broken: wasRunning ? [] : ['it had ended'] },
        checkEnds(run.ends.map((end) => ({ name: 'run', ...end }))),
        ...(await checkLongText({ folder, text, fails: FAILS, lost: LOST, submits, first, second, third })),
      ];
      if (findings.some(({ broken }) => broken.length > 0))
        await writeFile(join(folder, 'redrives.log'), [redrive, resubmit].map((end) => end.stderr).join('\n'));
      return findings;
    } finally {
      await run.close();
    }
  });
}

/** Sentences, in paragraphs of ten; no two are alike. */
function writeText(chance: Chance): string {
  const sentences: string[] = [];
  let length = 0;
  let [fails, lost] = [false, false];
  while (length < CHARACTERS) {
    const words = Array.from({ length: 4 + Math.floor(chance() * 20) }, () => pick(chance, WORDS));
    let sentence = `In the year ${String(1_000 + sentences.length)} ${words.join(' ')}.`;
    if (!fails && length > CHARACTERS / 4) [fails, sentence] = [true, FAILS];
    else if (!lost && length > CHARACTERS / 8) [lost, sentence] = [true, LOST];
    const gap = sentences.length % 10 === 9 ? '\n\n' : ' ';
    sentences.push(sentence + gap);
    length += sentence.length + gap.length;
  }
  return sentences.join('').slice(0, CHARACTERS - 1) + '.';
}
