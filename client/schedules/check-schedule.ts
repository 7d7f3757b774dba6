import { isBatchName } from '../../contract/batch-name.ts';
import { urlSchemeOf } from '../../contract/urls.ts';
import { isUrl, isManifestUrl, MANIFEST_URL_FORM } from '../../inputs/manifest-place.ts';
import { MAX_SCHEDULE_NAME_LENGTH } from '../../policy/schedules/occurrence.ts';
import {
  INSTANT_FORM,
  parseInstant,
  readScheduleSpec,
  type ScheduleSpec,
  type WrittenSpec,
} from '../../policy/schedules/schedule-spec.ts';
import { VoxbatchError } from '../problem.ts';
import type { TimeRange } from './survey-schedule.ts';

/**
 * Throws {@link VoxbatchError} (`bad-option`) for a manifest that a schedule cannot read at each firing, such as stdin.
 */
export function checkScheduledManifest(manifest: string): void {
  if (manifest !== '-' && (!isUrl(manifest) || isManifestUrl(manifest))) return;
  const got = manifest === '-' ? 'standard input' : `a ${urlSchemeOf(manifest) ?? ''}: URL`;
  const expected = `what is read each time it fires: a file, a pattern such as 'drop/*.csv', or ${MANIFEST_URL_FORM}`;
  throw new VoxbatchError({ type: 'bad-option', option: 'manifest', expected, got });
}

/**
 * Throws {@link VoxbatchError} (`bad-option`) for an invalid schedule name. The names of its batches are this name with
 * a time appended, so it must be shorter than a batch's.
 */
export function checkScheduleName(name: string): void {
  if (isBatchName(name) && name.length <= MAX_SCHEDULE_NAME_LENGTH && /[\p{L}\p{M}\p{N}_-]$/u.test(name)) return;
  const expected = `at most ${MAX_SCHEDULE_NAME_LENGTH} letters, digits, spaces, dots, dashes and underscores, with a letter or digit at both ends`;
  throw new VoxbatchError({ type: 'bad-option', option: 'name', expected, got: JSON.stringify(name).slice(0, 100) });
}

/**
 * Parses the options that say when a schedule fires. Absent options stay as in `before`, or get their default. Throws
 * {@link VoxbatchError} (`bad-option`).
 *
 * @param nameOf returns an option's name for messages
 */
export function requireSpec(
  written: WrittenSpec,
  nameOf: (option: keyof WrittenSpec) => string,
  before?: ScheduleSpec,
): ScheduleSpec {
  const read = readScheduleSpec(written, before);
  if (read.type === 'read') return read.spec;
  const { option, expected, got } = read;
  throw new VoxbatchError({ type: 'bad-option', option: nameOf(option), expected, got });
}

/** Start and end of a range as text, in ISO 8601. */
export interface WrittenRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Parses the range of a backfill, which may not reach into the future: Temporal would fire those times at once, the
 * ledger would refuse them, and Temporal then rejects the firing of each when it is due, as a second one of its id. As
 * {@link requireRange}.
 */
export function requirePastRange(
  written: WrittenRange,
  nameOf: (option: keyof WrittenRange) => string,
  now = Date.now(),
): TimeRange {
  const range = requireRange(written, nameOf);
  if (range.to <= now) return range;
  const expected = 'a time that has passed; what is still to come fires by itself';
  throw new VoxbatchError({ type: 'bad-option', option: nameOf('to'), expected, got: written.to ?? 'nothing' });
}

/** Parses a range. `nameOf`: returns an option's name for messages. Throws {@link VoxbatchError} (`bad-option`). */
export function requireRange(written: WrittenRange, nameOf: (option: keyof WrittenRange) => string): TimeRange {
  const refuse = (option: keyof WrittenRange, expected: string): never => {
    throw new VoxbatchError({
      type: 'bad-option',
      option: nameOf(option),
      expected,
      got: written[option] ?? 'nothing',
    });
  };
  const timeOf = (option: keyof WrittenRange): number =>
    parseInstant(written[option] ?? '') ?? refuse(option, INSTANT_FORM);
  const range = { from: timeOf('from'), to: timeOf('to') };
  return range.to < range.from ? refuse('to', `a time that is not before ${nameOf('from')}`) : range;
}
