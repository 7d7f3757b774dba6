import { printAnswer, type RunContext } from '../terminal/output.ts';
import {
  compareDialects,
  type DialectComparison,
  type MadeRead,
  type Surface,
  type SurfaceComparison,
} from '../../client/compare/compare-dialects.ts';
import type { Flags } from '../commands/flags.ts';
import { viewExit, type ExitName } from '../../contract/exit-codes.ts';
import { confirmedAccess } from '../connect/connect-api.ts';
import { readSettings } from '../connect/settings.ts';
import { DIALECTS } from '../../contract/dialects.ts';
import { oneLine, tableLines } from '../terminal/table.ts';
import { number, plural } from '../terminal/words.ts';

/** Flags of `compare`, whose `--rows` is a share and `--poll-rate` a number. */
export type CompareFlags = Omit<Flags, 'rows' | 'pollRate'> & { readonly rows?: number; readonly pollRate?: number };

const EXITS: Readonly<Record<DialectComparison['verdict'], ExitName>> = {
  parity: 'complete',
  differs: 'failures',
  unread: 'api-away',
};

/**
 * `voxbatch compare` without batches: reads the account in both dialects of the API and compares the answers. Spends
 * nothing. Prints each request on stderr.
 */
export async function compareAccount(flags: CompareFlags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const found = await compareDialects(await confirmedAccess(settings, flags), {
    jobs: flags.jobs,
    pollRate: flags.pollRate ?? settings.config.limits?.pollRate ?? null,
    onRead: (read) => {
      output.say(readLine(read));
    },
  });
  const exit = EXITS[found.verdict];
  printAnswer(output, flags, { ...viewExit(exit), ...found }, () => dialectLines(found));
  return exit;
}

type Compared = Extract<SurfaceComparison, { readonly is: 'compared' }>;

/** Names of the compared answers. */
const NAMES: Readonly<Record<Surface, string>> = {
  profile: 'profile',
  voices: 'voices',
  list: 'list of lip-sync jobs',
  jobs: 'lip-sync jobs by id',
};

/** Differences that are listed for each answer; `--json` has all. */
const MAX_DIFFERENCES = 20;

/** Describes a request. */
function readLine({ dialect, method, path, status, ms, requestId, at }: MadeRead): string {
  const answer = status === null ? 'no answer' : String(status);
  const id = requestId === null ? '' : `  ${requestId}`;
  return `${at.toISOString()}  ${dialect.padEnd(6)}  ${method} ${path}  ${answer}  ${ms} ms${id}`;
}

/** Returns a comparison of dialects as lines: a table, the differences, the verdict. */
function dialectLines({ api, verdict, surfaces }: DialectComparison): readonly string[] {
  return [
    `${DIALECTS.join(' beside ')} at ${new URL(api).origin}`,
    '',
    ...tableLines(
      [
        { title: '', value: ({ surface }: SurfaceComparison) => NAMES[surface] },
        ...DIALECTS.map((dialect, side) => ({
          title: dialect,
          value: (found: SurfaceComparison) => countOf(found, side),
          align: 'right' as const,
        })),
        { title: '', value: resultOf },
      ],
      surfaces,
    ),
    ...surfaces.flatMap((found) => (found.is === 'unread' ? unreadLines(found) : differenceLines(found))),
    ...loneFieldLines(surfaces),
    '',
    VERDICTS[verdict],
  ];
}

const VERDICTS: Readonly<Record<DialectComparison['verdict'], string>> = {
  parity: 'Both say the same. Nothing was changed. Nothing was spent.',
  differs: 'They differ. Nothing was changed. Nothing was spent.',
  unread: 'Neither could be read. Nothing was changed. Nothing was spent. Check address and token: voxbatch doctor',
};

/** Returns how many items a dialect has answered. `side`: its index in `DIALECTS`. */
function countOf(found: SurfaceComparison, side: number): string {
  if (found.is === 'unread') return found.why[side] === null ? 'read' : 'unread';
  return number(found.items[side] ?? 0);
}

/** Returns how many items and fields of an answer differ, or `alike`. */
function resultOf(found: SurfaceComparison): string {
  if (found.is === 'unread') return 'cannot be compared';
  const parts = DIALECTS.flatMap((dialect, side) => {
    const only = found.only[side]?.length ?? 0;
    return only === 0 ? [] : [`${number(only)} only in ${dialect}`];
  });
  const fields = found.differences.length;
  if (fields > 0) parts.unshift(plural(fields, 'field differs', 'fields differ'));
  return parts.length === 0 ? 'alike' : parts.join(', ');
}

function unreadLines({ surface, why }: Extract<SurfaceComparison, { readonly is: 'unread' }>): readonly string[] {
  return DIALECTS.flatMap((dialect, side) => {
    const reason = why[side] ?? null;
    return reason === null ? [] : [`${NAMES[surface]}, ${dialect}: ${oneLine(reason)}`];
  });
}

function differenceLines({ surface, only, differences }: Compared): readonly string[] {
  const lines = [
    ...differences.map(
      ({ id, field, values }) =>
        `${id}: ${field} ${valueIn(values[0], DIALECTS[0])}, ${valueIn(values[1], DIALECTS[1])}`,
    ),
    ...DIALECTS.flatMap((dialect, side) => (only[side] ?? []).map((id) => `${id}: only in ${dialect}`)),
  ];
  const more = lines.length > MAX_DIFFERENCES ? [`  and ${number(lines.length - MAX_DIFFERENCES)} more: --json`] : [];
  const named = lines.slice(0, MAX_DIFFERENCES).map((line) => `  ${oneLine(line)}`);
  return lines.length === 0 ? [] : ['', `${NAMES[surface]}:`, ...named, ...more];
}

function valueIn(value: string | number | boolean | null, dialect: string): string {
  return value === null ? `not told by ${dialect}` : `${JSON.stringify(value)} in ${dialect}`;
}

/** Lists the fields that only one dialect has. */
function loneFieldLines(surfaces: readonly SurfaceComparison[]): readonly string[] {
  const lines = DIALECTS.flatMap((dialect, side) => {
    const fields = surfaces.flatMap((found) =>
      found.is === 'unread' ? [] : (found.fieldsOnly[side] ?? []).map((field) => `${field} (${NAMES[found.surface]})`),
    );
    return fields.length === 0 ? [] : [`Only ${dialect} tells: ${fields.join(', ')}`];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}
