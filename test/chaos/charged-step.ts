import type { LedgerEntry } from '../../simulator/start-simulator.ts';

/** What a paid request was for, by its idempotency key. */
export interface ChargedStep {
  readonly batch: string;
  readonly row: number;
  readonly step: string;
  readonly take: number;
}

const KEY = /^voxbatch-[0-9a-f-]{36}-(.+)-(\d+)-([a-z-]+)-(\d+)$/;

/** Reads the key of a charge; undefined if it is none of ours. */
export function chargedStepOf({ idempotencyKey }: LedgerEntry): ChargedStep | undefined {
  const [, batch, row, step, take] = KEY.exec(idempotencyKey ?? '') ?? [];
  if (batch === undefined || step === undefined) return undefined;
  return { batch, row: Number(row), step, take: Number(take) };
}

/** One name for a step of a row in a take. */
export function nameOfStep({ batch, row, step, take }: ChargedStep): string {
  return `${batch}/${row}/${step}/${take}`;
}

/**
 * What was ordered, whatever key it came with: the operation and the text or source that the manifest has once only. The second
 * request of a `dub` has a link of its own each time, so its video tells; a new voice has its name.
 */
export function orderOf({ operation, text, videoUrl, audioUrl, name }: LedgerEntry): string {
  return `${operation} ${text ?? videoUrl ?? audioUrl ?? name ?? '(nothing)'}`;
}
