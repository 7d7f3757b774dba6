import { viewEnd } from '../../client/results/files-view.ts';
import { pauseOf, shortPath } from '../../client/status/continue-command.ts';
import { stepAfter } from '../../client/status/next-steps.ts';
import { finishBatch, type FinishedBatch } from '../../client/results/write-files.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { ReportChoice } from '../../contract/report.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { Invocation } from '../invocation.ts';
import { commandLine, goOnCommand } from '../terminal/words.ts';
import { damageLines, keptLines, madeLines, showFilesMade } from '../terminal/file-words.ts';
import { jsonLine } from '../terminal/output.ts';
import { pauseMessageFor, standstillWords } from '../terminal/pause-words.ts';
import { REPORT_WORDS } from '../terminal/status-words.ts';
import { summaryLines } from '../terminal/summary-words.ts';
import type { WorkEnd } from './work-on-batch.ts';

/** What a finished sample shows about the rows that it left out: how many, and their likely price. */
export type Pilot = NonNullable<FinishedBatch['pilot']>;

/** A batch that this command works on no more. */
export interface FinishRequest {
  readonly batch: string;
  /** The absolute path of the out folder. */
  readonly out: string;
  /** Why the work ended here. */
  readonly why: WorkEnd;
  /** Whether to write `results.xlsx`. Default: as for the batch. */
  readonly xlsx?: boolean | undefined;
  /** Which report to write. Default: as for the batch. */
  readonly report?: ReportChoice | undefined;
  /** Called with the forecast if rows of a finished batch were left out. */
  readonly onPilot?: ((pilot: Pilot) => void) | undefined;
}

/** Writes a batch's files in its current state, prints the summary and the next steps, and returns the exit code. */
export async function finishRun(
  { batch: name, out, why, xlsx, report, onPilot }: FinishRequest,
  { session, output, json, takeNote }: Pick<Invocation, 'session' | 'output' | 'json' | 'takeNote'>,
): Promise<ExitName> {
  const { store } = session.settings;
  const finished = await showFilesMade(output, (onFilesMade) =>
    finishBatch(session, { batch: name, out, xlsx, report, reportWords: REPORT_WORDS, onFilesMade }),
  );
  const { batch, pilot, faults, damaged } = finished;
  const exit = exitOf(finished, why);
  if (json) {
    const step = commandAfter(exit, finished, { out, isCluster: session.settings.cluster !== undefined });
    output.data(jsonLine(viewEnd(finished, exit, why === 'detached', { taken: takeNote?.taken?.next, step })));
  }
  const lines = [
    ...summaryLines(finished),
    ...madeLines(finished).map((line) => `  ${line}`),
    ...keptLines(finished.kept, out),
    ...faults.map((fault) => `DOES NOT ADD UP: ${fault}`),
    ...damageLines(damaged, { batch: batch.name, store }),
    ...nextLines(finished, { output, out, why, isEmbedded: session.settings.cluster === undefined }),
  ];
  for (const line of lines) output.say(line);
  if (pilot !== undefined) onPilot?.(pilot);
  return exit;
}

/** Returns the next command for `--json`, the same that the lines name; undefined if the exit code needs none. */
function commandAfter(
  exit: ExitName,
  finished: FinishedBatch,
  { out, isCluster }: Pick<FinishRequest, 'out'> & { readonly isCluster: boolean },
): string | undefined {
  const { batch, isDeserted } = finished;
  if (exit === 'out-of-credits')
    return pauseOf(batch, { isDeserted, isCluster, out }).goOn.map(commandLine).join(' && ');
  const step = stepAfter(exit, { ...finished, out: shortPath(out) });
  return step && commandLine(step);
}

function exitOf({ exit, faults }: FinishedBatch, why: WorkEnd): ExitName {
  if (why === 'interrupted' || why === 'terminated') return why;
  // With `--detach`, a start that was accepted is a success.
  return why === 'detached' && faults.length === 0 ? 'started' : exit;
}

/** The next steps for an unfinished batch. */
function nextLines(
  finished: Pick<FinishedBatch, 'batch' | 'standstill' | 'isDeserted' | 'readOnlyAdvice'>,
  {
    output,
    out,
    why,
    isEmbedded,
  }: Pick<FinishRequest, 'out' | 'why'> & Pick<Invocation, 'output'> & { readonly isEmbedded: boolean },
): readonly string[] {
  const { batch, standstill, isDeserted, readOnlyAdvice } = finished;
  const isCluster = !isEmbedded;
  const word = shellWord(batch.name);
  switch (why) {
    case 'interrupted':
    case 'terminated':
      return [stoppedLine(finished, { out, isEmbedded })];
    case 'detached': {
      if (batch.control === 'paused')
        return [pauseMessageFor(output, batch, { isDeserted: false, isCluster, out, readOnlyAdvice })];
      // On the embedded server `up` was just started for the batch, so a missing worker means nothing yet.
      const reason = isEmbedded ? undefined : standstill;
      const files = isEmbedded
        ? `Its files are complete when it is finished. To write them before: voxbatch results ${word}`
        : `Write its files at any time: voxbatch results ${word}`;
      return [
        reason === undefined ? 'The batch continues in the background.' : standstillWords(reason, batch),
        `Status: voxbatch status ${word}. ${files}`,
      ];
    }
    default:
      if (batch.state === 'closed') return [];
      if (batch.control === 'paused')
        return [pauseMessageFor(output, batch, { isDeserted, isCluster, out, readOnlyAdvice })];
      return [`Batch "${batch.name}" is not finished. Continue with: ${goOnCommand(batch, out)}`];
  }
}

/**
 * Returns what happens to a batch after its command was stopped: it waits, or another process (`up`, another command, a
 * worker) goes on with it.
 */
export function stoppedLine(
  { batch, standstill, isDeserted }: Pick<FinishedBatch, 'batch' | 'standstill' | 'isDeserted'>,
  { out, isEmbedded }: Pick<FinishRequest, 'out'> & { readonly isEmbedded: boolean },
): string {
  const goOn = goOnCommand(batch, out);
  if (batch.state !== 'open' || batch.control !== 'running')
    return `Stopped here; nothing is lost. Continue with: ${goOn}`;
  const pause = `voxbatch pause ${shellWord(batch.name)}`;
  // Workers of a cluster take every open batch, even one that no command follows.
  if (!isEmbedded && (isDeserted || standstill === 'no-worker')) {
    return `Stopped here; nothing is lost. No worker is running, but the batch stays open: the first one that starts goes on with it, and spends. To prevent that: ${pause}. To follow it again: ${goOn}`;
  }
  if (isDeserted) return `Stopped here; nothing is lost. Continue with: ${goOn}`;
  return `Stopped here; another process goes on with the batch, and spends. Halt it: ${pause}`;
}
