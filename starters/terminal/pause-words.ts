import { isoTime } from '../../contract/times.ts';
import { nextCommand } from '../../contract/shell-word.ts';
import { pauseOf, type Pause } from '../../client/status/continue-command.ts';
import type { BatchStatus } from '../../client/status/status.ts';
import { tokenAdvice } from '../connect/api-token.ts';
import { whyWords } from './action-words.ts';
import { isLog, type Output } from './output.ts';
import { oneLine } from './table.ts';
import { clock, commandLine, plural } from './words.ts';

type Batch = BatchStatus['batch'];

/** Returns what this command does while the batch is paused. `waits`: it waits for `resume`. */
export function waitMessage({ settings }: Batch, waits: boolean): string {
  const minutes = plural(Math.ceil(settings.jobDeadlineMs / 60_000), 'minute');
  return waits
    ? 'This command waits until then. Ctrl-C is safe.'
    : `This command first fetches running jobs, for at most ${minutes}. Ctrl-C is safe.`;
}

/** Returns who or what paused a batch, and how to continue. The arguments are those of {@link pauseOf}. */
export function pauseMessage(...about: Parameters<typeof pauseOf>): string {
  return pauseWords(pauseOf(...about));
}

/**
 * Returns the message of {@link pauseMessage} for an output. In a JSON log the failure is named by its class, since the
 * API's message may repeat texts of rows.
 */
export function pauseMessageFor(output: Output, ...about: Parameters<typeof pauseOf>): string {
  const pause = pauseOf(...about);
  const { pauseReason } = pause.batch;
  if (!isLog(output) || pauseReason === null) return pauseWords(pause);
  const { class: message, status } = pauseReason;
  const reason = { ...pauseReason, message: status === undefined ? message : `${message}, ${String(status)}` };
  return pauseWords({ ...pause, batch: { ...pause.batch, pauseReason: reason } });
}

/** Returns the message of {@link pauseMessage} for a pause that was read already. */
export function pauseWords({ batch: { name, pauseReason }, goOn, run, isCluster, by, advice }: Pause): string {
  const next = goOn.map(commandLine).join(' && ');
  const about = `Batch "${name}" is paused${by === undefined ? '' : byWords(by)}`;
  if (advice !== undefined) return `${about}. ${advice}`;
  switch (pauseReason?.class) {
    case 'OutOfCredits':
      return `${about}: out of credits (${pauseReason.message}). Top up the account, then: ${next}`;
    case 'BadToken': {
      const why = `${about}: the API refused the token (${pauseReason.message}).`;
      if (!isCluster) return `${why} ${tokenAdvice()}, then run the same command again: ${commandLine(run)}`;
      return `${why} The workers have it: set VOXBATCH_API_TOKEN (or VOXBATCH_API_TOKEN_FILE) there, start them again, then: ${next}`;
    }
    case undefined:
      return `${about}. Continue with: ${next}`;
    default:
      return (
        `${about}: ${pauseReason?.message ?? ''}. Running jobs are still fetched; nothing more is sent. Check the ` +
        `results: ${commandLine(nextCommand('status', name))}. When it is fixed, continue with: ${next}. ` +
        `To turn this check off: ${commandLine(nextCommand('tune', name, '--halt', 'never'))}`
      );
  }
}

/**
 * Returns who paused the batch: ` by ann@host at 2026-12-01T02:00:00Z (the new voices are bad)`. If voxbatch did, the
 * message gives the reason elsewhere.
 */
function byWords({ at, actor, reason }: NonNullable<Pause['by']>): string {
  if (actor.type === 'voxbatch') return ` by itself at ${isoTime(at)}`;
  const who = actor.type === 'schedule' ? `schedule ${actor.name}` : actor.name;
  return ` by ${oneLine(who)} at ${isoTime(at)}${whyWords(reason)}`;
}

/**
 * Returns why a batch makes no progress, and what to do. `silentMs`: how long the API has been silent; `whyFull`: what
 * the ledger's disk lacks; both if known.
 */
export function standstillWords(
  standstill: NonNullable<BatchStatus['standstill']>,
  { apiUrl }: Pick<Batch, 'apiUrl'>,
  { silentMs, whyFull }: { readonly silentMs?: number | undefined; readonly whyFull?: string | undefined } = {},
): string {
  switch (standstill) {
    case 'ledger-full':
      return `Nothing more is sent; answers on their way are kept. ${whyFull ?? 'The disk of the ledger is full. What to do: voxbatch status'}`;
    case 'no-worker':
      return 'No worker polls this queue. Start one with the same settings and token: voxbatch worker';
    case 'no-sender':
      return 'No worker sends: those that run only download. Start one: voxbatch worker --only submit';
    case 'no-downloader':
      return 'No worker downloads: those that run only submit, and send nothing more until one does. Start one: voxbatch worker --only download';
    case 'no-store':
      return 'All workers wait for the store: it does not answer them, or refuses. They go on by themselves. To find out why: voxbatch status, and voxbatch doctor where they run';
    case 'no-answer':
      return silentMs === undefined
        ? `The API at ${apiUrl} does not answer, or only with errors. voxbatch keeps trying. To find out why: voxbatch doctor`
        : `The API at ${apiUrl} has not answered for ${clock(silentMs)}, or only with errors. voxbatch keeps trying. To find out why: voxbatch doctor`;
  }
}
