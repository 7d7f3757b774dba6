import { hasResult } from '../../contract/outcomes.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { oddityOf } from '../../results/result-line.ts';
import { familyOf } from '../../store/media-types.ts';

/** Max length of a text or a message in a list, characters. */
const MAX_TEXT_LENGTH = 300;

/** Views a row of a list. */
export function viewRowLine({
  row,
  id,
  line,
  kind,
  state,
  outcome,
  spec,
  text,
  quoted,
  failure,
  file,
  take,
  returnedTo,
  endedAt,
}: RowRecord) {
  const says = spec.text ?? text ?? spec.audio ?? spec.video ?? '';
  return {
    ...{ row, id, line, kind, outcome, take, quoted },
    /** The take whose result counts: an earlier one if a person has gone back to it. */
    takeInUse: presentTake({ take, returnedTo }),
    /** Null once it has ended. */
    state: outcome === null ? state : null,
    voice: spec.voice ?? null,
    /** Its text, its transcript, or the URL of its media; cut if it is long. */
    text: says.length > MAX_TEXT_LENGTH ? `${says.slice(0, MAX_TEXT_LENGTH)}…` : says,
    seconds: file?.seconds ?? null,
    media: mediaOf(file),
    failure: failure && { class: failure.class, message: failure.message.slice(0, MAX_TEXT_LENGTH) },
    /** A remark about its result, such as that it is longer than `max_seconds`; null if there is none. */
    oddity: hasResult(outcome) ? oddityOf({ spec, file }) || null : null,
    endedAt: endedAt === null ? null : new Date(endedAt),
  };
}

/** The media family of a row's file, such as `audio`; null if there is no file. */
export function mediaOf(file: ResultFile | null): ReturnType<typeof familyOf> | null {
  return file === null || file.removedAt !== undefined ? null : familyOf(file.extension);
}
