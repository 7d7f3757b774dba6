import type { BatchRecord } from '../ledger/record-types.ts';
import { LinkedFolder, NotAFile } from '../results/errors.ts';
import type { Problem } from './problem-types.ts';
import { sentenceFor } from './problem-sentences.ts';

/** Thrown if a call cannot be carried out. Nothing was spent on it. */
export class VoxbatchError extends Error {
  override readonly name = 'VoxbatchError';
  /** What went wrong. */
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(sentenceFor(problem), 'cause' in problem ? { cause: problem.cause } : {});
    this.problem = problem;
  }
}

/** Converts a thrown value to a {@link VoxbatchError}; undefined if it is not one. */
export function asVoxbatchError(error: unknown): VoxbatchError | undefined {
  if (error instanceof LinkedFolder)
    return new VoxbatchError({ type: 'linked-below-out', path: error.path, cause: error });
  if (error instanceof NotAFile) return new VoxbatchError({ type: 'not-a-file', path: error.path, cause: error });
  return error instanceof VoxbatchError ? error : undefined;
}

/**
 * Throws {@link VoxbatchError} (`loading`) for a batch that is still being loaded. It cannot be steered: a killed load
 * starts over, and the request would be lost.
 */
export function refuseLoading(batch: BatchRecord): void {
  if (batch.state === 'loading') throw new VoxbatchError({ type: 'loading', batch });
}

/** Rejects an option's value. Throws {@link VoxbatchError} (`bad-option`). */
export function refuseOption(option: string, expected: string, got: unknown): never {
  const shown = typeof got === 'string' ? JSON.stringify(got) : String(got);
  throw new VoxbatchError({ type: 'bad-option', option, expected, got: shown.slice(0, 80) });
}
