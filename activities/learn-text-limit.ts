import type { Failure } from '../contract/failures.ts';
import { textLimitIn } from '../policy/learnt-text-limit.ts';
import type { LoadedAttempt } from './attempt.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * What a refusal says about the length of texts is kept for later plans, and the row says what to do. Any other refusal
 * stays as it is.
 */
export async function learnTextLimit(
  { ledger, realm, log }: Pick<Dependencies, 'ledger' | 'realm' | 'log'>,
  { row, operation }: Pick<LoadedAttempt, 'row' | 'operation'>,
  failure: Failure,
): Promise<Failure> {
  const length = row.spec.text?.length ?? 0;
  const most = failure.class === 'BadRequest' ? textLimitIn(failure.message, length) : undefined;
  if (most === undefined) return failure;
  log.info({ operation, most }, 'a limit on the length of texts was learnt from a refusal');
  await ledger.noteTextLimit(realm, operation, most);
  const next = `The text has ${length} characters, and the API takes ${most}. Run the manifest with --split sentences under another --name: what is finished costs nothing again.`;
  const words = failure.message.replace(/\.?$/u, '.').slice(0, 499 - next.length);
  return { ...failure, cause: 'the text is too long', message: `${words} ${next}` };
}
