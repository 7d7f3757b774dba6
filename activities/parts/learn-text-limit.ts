import { canBeSplit, TEXT_TOO_LONG } from '../../contract/api-limits.ts';
import type { Failure } from '../../contract/failures.ts';
import { messageOf } from '../../contract/message-of.ts';
import { textLimitIn } from '../../policy/parts/learnt-text-limit.ts';
import type { LoadedAttempt } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Learns the maximum length of a text from a refusal that states it: records it for later plans, and returns the row's
 * failure with advice added. Returns other failures unchanged.
 */
export async function learnTextLimit(
  { ledger, realm, observe }: Pick<Dependencies, 'ledger' | 'realm' | 'observe'>,
  { row, operation, batch }: Pick<LoadedAttempt, 'row' | 'operation' | 'batch'>,
  failure: Failure,
): Promise<Failure> {
  const length = row.spec.text?.length ?? 0;
  const max = failure.class === 'BadRequest' ? textLimitIn(failure.message, length) : undefined;
  if (max === undefined) return failure;
  const event = { type: 'note', batch: batch.name, row: row.row, facts: { operation, most: max } } as const;
  observe({ ...event, what: 'text-limit-learnt' });
  // Ignore a failed write: the next refusal will state the limit again, and the current answer must be recorded in any
  // case.
  await ledger.noteTextLimit(realm, operation, max).catch((error: unknown) => {
    observe({ ...event, what: 'text-limit-unrecorded', error: messageOf(error) });
  });
  const advice = adviceOnLength(row, batch);
  const next = `The text has ${length} characters, and the API takes ${max}. ${advice}`;
  // A failure's message has 500 characters at most.
  const words = failure.message.replace(/\.?$/u, '.').slice(0, 499 - next.length);
  return { ...failure, cause: TEXT_TOO_LONG, message: `${words} ${next}` };
}

/** Says how the user can get a text that is too long accepted. */
function adviceOnLength({ spec }: LoadedAttempt['row'], { settings }: LoadedAttempt['batch']): string {
  if (!canBeSplit(spec)) return `Texts of ${spec.kind} rows are not cut: shorten it.`;
  return settings.single === undefined
    ? 'Run the manifest with --split sentences under another --name: finished rows are not paid for again.'
    : 'To split it, run the same command with --split sentences.';
}
