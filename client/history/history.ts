import { ACTION_KINDS, type ActionKind, type ActionRecord } from '../../contract/actions.ts';
import { defined } from '../../contract/defined.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { mergeActions } from '../../policy/history/merge-actions.ts';
import { INSTANT_FORM, parseInstant } from '../../policy/schedules/schedule-spec.ts';
import { chooseBatch } from '../open-records.ts';
import { refuseOption } from '../problem.ts';

/** Which actions to list. Default: all. */
export interface HistoryOptions {
  /** Only these kinds. */
  readonly kinds?: readonly string[];
  /** Only actions at this time or later, such as `2026-12-01T00:00:00Z`. */
  readonly from?: string;
  /** Only actions up to this time. */
  readonly to?: string;
}

/** Whose actions to list: those of a batch (default: the newest), or of a schedule. */
export interface HistoryRequest extends HistoryOptions {
  readonly batch?: string | undefined;
  readonly schedule?: string | undefined;
}

/** The actions of a batch or a schedule, newest last. */
export interface History {
  /** Null for the history of a schedule. */
  readonly batch: string | null;
  readonly schedule: string | null;
  readonly actions: readonly ActionRecord[];
}

/**
 * Lists what people, schedules and voxbatch itself did to a batch or schedule. `nameOf`: returns an option's name for
 * messages. Throws {@link VoxbatchError} (`no-batch`, `bad-option`).
 */
export async function readHistory(
  ledger: Ledger,
  { batch: named, schedule, kinds, from, to }: HistoryRequest,
  nameOf: (option: keyof HistoryOptions) => string = String,
): Promise<History> {
  const momentOf = (option: 'from' | 'to', text: string | undefined): number | undefined =>
    text === undefined ? undefined : (parseInstant(text) ?? refuseOption(nameOf(option), INSTANT_FORM, text));
  const query = defined({
    kinds: kinds?.map((kind) => requireKind(kind, nameOf('kinds'))),
    from: momentOf('from', from),
    until: momentOf('to', to),
  });
  if (schedule !== undefined)
    return { batch: null, schedule, actions: mergeActions(await ledger.actionsOf({ ...query, schedule })) };
  const { name: batch } = await chooseBatch(ledger, named);
  return { batch, schedule: null, actions: mergeActions(await ledger.actionsOf({ ...query, batch })) };
}

function requireKind(kind: string, option: string): ActionKind {
  return ACTION_KINDS.find((one) => one === kind) ?? refuseOption(option, `one of ${ACTION_KINDS.join(', ')}`, kind);
}
